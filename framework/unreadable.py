"""What msgspec's decoders raise for bytes that are no message of ours: more than its own errors.

    except (StreamError, *UNREADABLE):

Text that is no UTF-8 raises `UnicodeDecodeError`, and what is nested too deeply `RecursionError`.
"""

from __future__ import annotations

from typing import Final

import msgspec

UNREADABLE: Final = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
