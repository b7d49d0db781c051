"""What rooms_moves.py cannot see: strings put together, and places told by a file's own place. Literal replacements."""
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
FIXUPS = [
    ("resources/web/page/index.html", '"/src/main.ts"', '"/src/console/main.ts"'),
    ("resources/web/page/tests/tsconfig.json", "../src/panels/done_part.ts", "../src/console/panels/done_part.ts"),
    ("scripts/console_page.py", 'root / "resources" / "console" / "page"', 'root / "resources" / "web" / "page"'),
    ("tests/conftest.py", '    "resources/cameras",\n    "resources/children",\n    "resources/console/test_encoder.py",\n    "resources/fci",\n', '    "resources/children",\n    "resources/console/test_encoder.py",\n    "resources/drivers/franka",\n    "resources/drivers/realsense",\n'),
    ("pilothouse/cli/experiments/operator_link_browser.py", "import resources.console\n", ""),
    ("pilothouse/cli/experiments/operator_link_browser.py", 'Path(resources.console.__file__).parent / "page/node_modules', 'DIST.with_name("page") / "node_modules'),
    ("pilothouse/cli/experiments/operator_link_browser.py", "from resources.operator.protocol import Offer, encode_words\n", "from resources.operator.protocol import Offer, encode_words\nfrom resources.web.static_files import DIST\n"),
    ("tests/resources/console/test_operator_page.py", "from scripts import page_protocols as typescript\n", "from resources.web.static_files import DIST\nfrom scripts import page_protocols\n"),
    ("tests/resources/console/test_operator_page.py", 'Path(typescript.__file__).with_name("page")', 'DIST.with_name("page")'),
    ("tests/resources/console/test_operator_page.py", "typescript.generate", "page_protocols.generate"),
    ("tests/resources/console/test_protocol.py", "from scripts import page_protocols as typescript\n", "from resources.web.static_files import DIST\nfrom scripts import page_protocols\n"),
    ("tests/resources/console/test_protocol.py", 'Path(typescript.__file__).with_name("page")', 'DIST.with_name("page")'),
    ("tests/resources/console/test_protocol.py", "typescript.generate", "page_protocols.generate"),
    ("tests/resources/operator/emulated_devices.py", "from scripts import page_protocols as typescript\n", "from resources.web.static_files import DIST\n"),
    ("tests/resources/operator/emulated_devices.py", 'Path(typescript.__file__).with_name("page")', 'DIST.with_name("page")'),
    ("resources/web/protocol.py", "`typescript.py`", "`scripts/page_protocols.py`"),
    ("tests/resources/drivers/realsense/test_start_turn.py", "import start_turn as realsense_turn", "import start_turn"),
    ("tests/resources/drivers/realsense/test_start_turn.py", "(realsense_turn,", "(start_turn,"),
]
for path, old, new in FIXUPS:
    file = ROOT / path
    text = file.read_text() if file.exists() else ""
    if old not in text:
        print("not found:", path, repr(old))
        continue
    file.write_text(text.replace(old, new))
