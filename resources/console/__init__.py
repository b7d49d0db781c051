"""The console: the web page an operator sees, its server, and the encoder of what it draws.

* `protocol`, `page_messages`: every message between server and page, declared once; `typescript` writes the
  page's half.
* `samples`: the binary messages that carry points, pictures and poses.
* `backend`: what the server asks of an installation. It knows no manager.
* `server`: puts together `admission` (who may), `page_link` and `outbox` (one connected page),
  `feeds` (shared-memory rings → pages), `http_api`, `http_plans` (the command line) and `static_files`.
* `encoder_spec`, `encoder`, `encoding`: camera pictures and scans → what the page draws, in a child
  process.
* `page/`: the page itself (TypeScript, Vite, three.js), built into `dist/`.
"""
