"""The wire: the generated TypeScript is current, bad messages are refused, heads say what follows."""

from __future__ import annotations

import struct

import msgspec
import pytest

from framework.errors import StreamError
from resources.types.streams import SampleMeta, StreamFormat, encode_meta
from resources.web import page_messages, protocol
from resources.web.samples import HEAD_BYTES, EncodedMeta, header_of, write_head
from resources.web.static_files import DIST
from scripts import page_protocols

PAGE = DIST.with_name("page")


def test_the_generated_typescript_is_that_of_the_present_protocol() -> None:
    assert (PAGE / "src" / "protocol.ts").read_text() == page_protocols.generate(), (
        "protocol.py has changed; run: python -m scripts.page_protocols > resources/web/page/src/protocol.ts"
    )


def test_a_world_description_is_a_scene() -> None:
    text = (
        b'{"bodies":[{"name":"base","parent":"world","fixed":false,"shapes":[{"kind":"box","size":[1,2,3],'
        b'"position":[0,0,0],"quaternion":[0,0,0,1],"rgba":[1,1,1,1],"texture":"","robot":true}]}]}'
    )
    scene = msgspec.json.decode(text, type=protocol.Scene)
    assert scene.bodies[0].shapes[0].kind is protocol.ShapeKind.BOX
    assert b'"type":"scene"' in protocol.encode_message(scene)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        '{"type":"say"}',
        '{"type":"launch","id":"1"}',
        '{"type":"say","id":"1","text":7}',
        '{"type":"say","id":"1","text":"x","extra":true}',
        '{"type":"say","id":"1","text":"' + "x" * (page_messages.MAX_TEXT_CHARS + 1) + '"}',
        '{"type":"stop","id":"' + "1" * 65 + '"}',
        '{"type":"fail","id":"1","device":"a","how":"explode"}',
        '{"type":"reset","id":"1","confirmed":"yes"}',
        '{"type":"complete","id":"1","text":"' + "x" * (page_messages.MAX_BEGUN_CHARS + 1) + '"}',
        '{"type":"answer","id":"1","question":"q1","choice":-1}',
        '{"type":"answer","id":"1","question":"q1","choice":1000}',
        '{"type":"answer","id":"1","question":"q1","choice":1.5}',
        '{"type":"answer","id":"1","question":1,"choice":1}',
        '{"type":"order_plan","id":"1","plan":"3","order":"destroy"}',
        '{"type":"change_plan","id":"1","plan":"3","node":"3.1"}',
        '{"type":"change_plan","id":"1","plan":"3","node":"3.1","how":"sideways"}',
        '{"type":"save_plan","id":"1","plan":"3","form":"xml"}',
        '{"type":"run_file","id":"1","content":{"graph_name":"x"}}',
        '{"type":"run_file","id":"1","content":"' + "x" * (page_messages.MAX_FILE_CHARS + 1) + '"}',
        "[" * 5000,
    ],
)
def test_a_malformed_message_is_refused(text: str) -> None:
    with pytest.raises((msgspec.MsgspecError, RecursionError)):
        page_messages.decode_page_message(text)


def test_a_head_says_what_follows() -> None:
    meta = msgspec.msgpack.encode(EncodedMeta(2, 5, 1.5))
    header = header_of("v1", StreamFormat.VIEW, 7, 0.25, meta, 2 * 16 + 5)
    message = bytearray(HEAD_BYTES + 37)
    write_head(message, header)
    (length,) = struct.unpack_from("<I", message)
    assert msgspec.json.decode(bytes(message[4 : 4 + length]), type=protocol.SampleHeader) == header
    assert HEAD_BYTES % 16 == 0


def test_poses_are_counted() -> None:
    header = header_of("scene", StreamFormat.POSES, 1, 0.0, encode_meta(SampleMeta(2.0)), 3 * 28)
    assert (header.poses, header.time_s) == (3, 2.0)


@pytest.mark.parametrize(
    ("stored", "meta", "size"),
    [
        (StreamFormat.VIEW, msgspec.msgpack.encode(EncodedMeta(2, 0)), 31),
        (StreamFormat.VIEW, b"\xff\xff", 0),
        (StreamFormat.POSES, b"", 27),
        (StreamFormat.RGBD, b"", 16),
    ],
)
def test_a_sample_that_is_not_what_it_says_is_refused(stored: StreamFormat, meta: bytes, size: int) -> None:
    with pytest.raises(StreamError):
        header_of("v1", stored, 1, 0.0, meta, size)


def test_a_head_that_cannot_fit_is_refused() -> None:
    with pytest.raises(StreamError, match="shorten"):
        write_head(bytearray(HEAD_BYTES), protocol.SampleHeader("v" * 600, 1, 0.0))
