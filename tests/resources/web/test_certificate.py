"""The certificate of an installation: what it names, when it is made anew, what is done with bad files."""

from __future__ import annotations

import datetime
import os
import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509

from framework.errors import InstallationError
from resources.web.certificate import FILE_NAME, RENEWED_BEFORE, VALID, Certificate, certificate

NOW = datetime.datetime(2026, 3, 1, 12, tzinfo=datetime.UTC)
NAMES = ("192.168.0.7", "fd00::2", "Robot.local", "localhost")


def made(folder: Path, names: tuple[str, ...] = NAMES, now: datetime.datetime = NOW) -> Certificate:
    return certificate(folder / FILE_NAME, names, now)


def test_it_names_addresses_and_names_and_is_good_for_a_year(tmp_path: Path) -> None:
    found = made(tmp_path)
    assert "first" in found.words
    read = x509.load_pem_x509_certificate(found.file.read_bytes())
    names = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["192.168.0.7", "fd00::2"]
    assert names.get_values_for_type(x509.DNSName) == ["robot.local", "localhost"]
    assert not read.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert read.not_valid_after_utc == NOW + VALID
    assert len(found.fingerprint) == 3 * 32 - 1
    assert isinstance(found.context(), ssl.SSLContext)


def test_only_its_user_can_read_it(tmp_path: Path) -> None:
    assert stat.S_IMODE(made(tmp_path).file.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [FILE_NAME]


def test_it_stays_the_same_so_that_it_is_accepted_once(tmp_path: Path) -> None:
    first = made(tmp_path)
    later = made(tmp_path, NAMES[:2], NOW + datetime.timedelta(days=200))
    assert (later.fingerprint, later.words) == (first.fingerprint, "")


@pytest.mark.parametrize(
    ("names", "now", "because"),
    [
        ((*NAMES, "192.168.0.8"), NOW, "did not name 192.168.0.8"),
        (NAMES, NOW + VALID - RENEWED_BEFORE, "good until"),
        (NAMES, NOW - datetime.timedelta(days=30), "good until"),
    ],
)
def test_it_is_made_anew_when_it_is_not_good_any_more(
    tmp_path: Path, names: tuple[str, ...], now: datetime.datetime, because: str
) -> None:
    first = made(tmp_path)
    after = made(tmp_path, names, now)
    assert after.fingerprint != first.fingerprint
    assert because in after.words


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"-----BEGIN NOTHING-----\nAA==\n-----END NOTHING-----"]
)
def test_a_corrupt_file_is_replaced_and_said(tmp_path: Path, content: bytes) -> None:
    made(tmp_path)
    (tmp_path / FILE_NAME).write_bytes(content)
    after = made(tmp_path)
    assert "is not understood" in after.words
    after.context()


def test_half_a_file_is_replaced(tmp_path: Path) -> None:
    first = made(tmp_path)
    content = first.file.read_bytes()
    for cut in (len(content) // 4, len(content) // 2, len(content) - 30):
        first.file.write_bytes(content[:cut])
        assert "is not understood" in made(tmp_path).words


def test_another_one_s_key_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    mine, other = made(tmp_path / "a").file, made(tmp_path / "b").file
    key = other.read_bytes().partition(b"-----BEGIN CERT")[0]
    rest = mine.read_bytes().partition(b"-----BEGIN CERT")
    mine.write_bytes(key + rest[1] + rest[2])
    assert "key is another one's" in made(tmp_path / "a").words


def test_a_key_that_others_could_read_is_no_secret_any_more(tmp_path: Path) -> None:
    first = made(tmp_path)
    first.file.chmod(0o644)
    after = made(tmp_path)
    assert "read by others" in after.words
    assert stat.S_IMODE(after.file.stat().st_mode) == 0o600


def test_a_folder_that_takes_nothing_is_said_with_ways_out() -> None:
    with pytest.raises(InstallationError, match=r"cannot be kept .* --state"):
        made(Path("/proc/self"))  # nothing can be written there, for root neither


def test_a_folder_in_the_place_of_the_file_is_said(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(InstallationError, match="cannot be kept"):
        made(tmp_path)


def test_a_file_that_vanishes_before_it_is_used_is_said(tmp_path: Path) -> None:
    found = made(tmp_path)
    found.file.unlink()
    with pytest.raises(InstallationError, match="remove it"):
        found.context()
