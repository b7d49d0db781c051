"""The console: the web page an operator sees, its server, and the encoder of what it draws.

* `backend`: what the server asks of an installation. It knows no manager.
* `server`: puts together `page_link` and `outbox` (one connected page), `commands` (what may be asked for),
  `feeds` (shared-memory rings → pages), `http_api`, `http_plans` (the command line), and of `resources.web`
  who may, the messages and the built page.
* `encoder_spec`, `encoder`: camera pictures and scans → what the page draws, in a child process.
"""
