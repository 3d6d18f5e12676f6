"""Only what the owner of a key signed passes with this key, however well a forgery agrees."""

import json
import os
import shutil
import subprocess
import sys

import pytest

import export
from export import extras, manifest, signing
from export.serving import open_artifact
from tests.export.models import regressor
from tests.export.test_tampering import change_weight
from tests.faults.damage import forge
from tests.zoo.test_cli import refused, run


def write_keys(folder, name, make):
    """The PEM files of a private key and of its public key."""
    from cryptography.hazmat.primitives import serialization as pem

    key, private, public = make(), folder / f"{name}.pem", folder / f"{name}.pub"
    whole = (pem.Encoding.PEM, pem.PrivateFormat.PKCS8, pem.NoEncryption())
    private.write_bytes(key.private_bytes(*whole))
    shown = (pem.Encoding.PEM, pem.PublicFormat.SubjectPublicKeyInfo)
    public.write_bytes(key.public_key().public_bytes(*shown))
    return private, public


def elliptic():
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def sign(folder, private):
    """As docs/how-to/export/signing.md says."""
    path = folder / manifest.FILE
    command = ["sign", "key", path, "--private_key", private, "--signature", f"{path}.sig"]
    subprocess.run([sys.executable, "-m", "model_signing", *command], check=True)


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    pytest.importorskip("model_signing", reason="needs the extra sign")
    folder = tmp_path_factory.mktemp("signed")
    write_keys(folder, "own", elliptic)
    write_keys(folder, "other", elliptic)
    export.litert(regressor(), folder / "lines.tflite")
    sign(folder, folder / "own.pem")
    return folder


@pytest.fixture
def file(signed, tmp_path):
    """A copy to spoil: keys and signatures may be moved, too."""
    shutil.copytree(signed, tmp_path, dirs_exist_ok=True)
    return tmp_path / "lines.tflite"


def verify(file, key="own"):
    return export.verify(file, public_key=file.with_name(f"{key}.pub"))


def unsigned(report, words):
    """Whether this is the one thing that was checked: nothing of the artifact was read."""
    (check,) = report.checks
    assert check.name == "signed manifest" and words in check.detail
    return not report.passed and check.detail.count("\n") == 0


CHANGED = "another key signed it, or one of the files was changed"


def test_what_was_signed_passes(file):
    report = verify(file)
    assert report.passed
    assert [each.name for each in report.checks[:2]] == ["signed manifest", "sha256 artifact"]
    assert len(report.checks) == len(export.verify(file).checks) + 1


def test_a_manifest_that_was_edited_together_with_its_file_is_refused(file):
    change_weight(file, factor=1.00001)
    forge(file)
    assert export.verify(file).passed
    assert unsigned(verify(file), CHANGED)


def test_a_file_that_was_edited_alone_is_refused_by_its_digest(file):
    change_weight(file, factor=1.00001)
    assert [each.name for each in verify(file).failed] == ["sha256 artifact"]


def test_another_key_is_refused(file):
    assert unsigned(verify(file, "other"), CHANGED)


def test_a_missing_signature_is_refused(file):
    file.with_name(signing.FILE).unlink()
    assert unsigned(verify(file), "manifest.json.sig is missing: the artifact is not signed")


def test_a_signature_that_names_no_key_is_refused_too(file, capsys):
    """Older signatures have no digest of the key."""
    path = file.with_name(signing.FILE)
    content = json.loads(path.read_text())
    content["verificationMaterial"]["publicKey"]["hint"] = None
    path.write_text(json.dumps(content))

    assert unsigned(verify(file, "other"), CHANGED)
    assert verify(file).passed
    assert capsys.readouterr().out == ""  # where the command line writes JSON


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{}", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"verificationMaterial": {}}'],
)
def test_a_file_that_is_no_signature_is_refused(file, content):
    file.with_name(signing.FILE).write_bytes(content)
    assert unsigned(verify(file), CHANGED)


def test_a_large_file_is_not_read(file):
    path = file.with_name(signing.FILE)
    path.write_bytes(path.read_bytes() + b" " * signing.LARGEST)
    assert unsigned(verify(file), CHANGED)


@pytest.mark.thorough
def test_the_signature_of_another_artifact_by_the_same_key_is_refused(file):
    folder = file.parent / "other"
    export.litert(regressor(width=3), folder / file.name)
    sign(folder, file.with_name("own.pem"))
    shutil.copy(folder / signing.FILE, file.parent)
    assert unsigned(verify(file), CHANGED)


@pytest.mark.thorough
def test_saved_models_and_onnx_are_signed_where_their_manifest_is(file):
    private, public = file.with_name("own.pem"), file.with_name("own.pub")
    export.saved_model(regressor(), file.parent / "served")
    sign(file.parent / "served", private)
    for path in (file.parent / "served", file.parent / "served" / "1"):
        assert export.verify(path, public_key=public).passed
    export.onnx(regressor(), file.parent / "onnx" / "lines")
    sign(file.parent / "onnx", private)
    assert export.verify(file.parent / "onnx" / "lines", public_key=public).passed

    export.saved_model(regressor(), file.parent / "served", version=2)  # not signed again
    assert export.verify(file.parent / "served").passed
    assert unsigned(export.verify(file.parent / "served", public_key=public), CHANGED)


def test_a_server_opens_only_what_was_signed(file):
    key, other = file.with_name("own.pub"), file.with_name("other.pub")
    assert open_artifact(file, key).version == "1"
    with pytest.raises(ValueError, match=f"lines.tflite must not be loaded: .*{CHANGED}"):
        open_artifact(file, other)


def test_the_command_line(file):
    actual = run("verify", file, "--public-key", file.with_name("own.pub"), "--json")
    assert actual.exit_code == 0 and json.loads(actual.stdout)["passed"]
    assert run("verify", file, "--public-key", file.with_name("other.pub")).exit_code == 1
    file.with_name("config.json").touch()
    line = refused("serve", file.parent, "--public-key", file.with_name("own.pub"))
    assert line == "--public-key is for artifacts: a run has no signature"


@pytest.mark.long
def test_the_command_line_serves_nothing_else(file):
    command = ["serve", file, "--port", "0", "--public-key", file.with_name("other.pub")]
    start = [sys.executable, "-c", "from zoo.cli import main; main()"]
    done = subprocess.run([*start, *command], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    last = done.stderr.splitlines()[-1]  # TensorFlow's messages come before
    assert last.startswith(f"keras-attn: {file} must not be loaded") and last.endswith(CHANGED)


def test_keys_that_are_none(file):
    from cryptography.hazmat.primitives.asymmetric import ed25519

    write_keys(file.parent, "ed25519", ed25519.Ed25519PrivateKey.generate)
    file.with_name("text.pub").write_text("x")
    shutil.copy(file.with_name("own.pem"), file.with_name("private.pub"))
    for name in ("ed25519", "text", "private"):
        with pytest.raises(ValueError, match=f"elliptic curves P-256.*{name}.pub is not"):
            verify(file, name)
    with pytest.raises(ValueError, match=r"public_key cannot be read: .*none.pub: No such file"):
        verify(file, "none")


def test_the_package_may_be_missing(tmp_path, monkeypatch):
    gone = ("public_key", {"gone_missing": "model-signing"})
    monkeypatch.setitem(extras.EXTRAS, "sign", gone)
    with pytest.raises(ValueError, match=r"needs model-signing: pip install 'keras-attn\[sign\]'"):
        signing.check_signature(tmp_path, b"", tmp_path / "key.pub")


def test_a_signature_that_is_a_pipe_is_not_waited_for(file):
    path = file.with_name(signing.FILE)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ValueError, match="must not be loaded: .*does not belong to"):
        open_artifact(file, file.with_name("own.pub"))
