"""Image classification where the contract of tasks does not look: files, encoded images, samples,
rates of the transformers, changes of images."""

import logging

import numpy as np
import pytest
from PIL import Image

import export
import zoo
from export.worker import artifact
from tests.pages import said
from tests.tasks.cases.files import digit_images, strokes
from zoo.cli.app import app
from zoo.data.images.read import read_images
from zoo.data.inspection import inspect
from zoo.errors import UserError
from zoo.report import images as pictures

SMALL = {"layers": [[7, 3], [5, 3]], "localization": [[3, 3]], "localization_units": 5}
FIT = {"learning_rate": 0.02, "batch_size": 13, "verbose": False}


def write(folder, color=False):
    """Class folders of images; some have another size."""
    images, kinds = strokes(29, seed=1)
    for number, (image, kind) in enumerate(zip(images, kinds, strict=True)):
        path = folder / "across down slanted".split()[kind] / f"{number:02}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        drawn = Image.fromarray(image).convert("RGB" if color else "L")
        (drawn.resize((17, 19)) if number % 9 == 8 else drawn).save(path)
    return folder


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write(tmp_path_factory.mktemp("images") / "train")


@pytest.fixture(scope="module")
def task(files):
    actual = zoo.ImageClassifier(**SMALL)
    actual.adapt(files)
    actual.fit(files, epochs=12, **FIT)
    return actual


@pytest.mark.long
def test_it_learns_from_a_folder_of_files(task, files):
    assert task.labels == ["across", "down", "slanted"]
    assert (task.settings.image_size, task.settings.channels) == ("11x13", 1)
    scores = task.evaluate(files)
    assert scores["accuracy"] > 0.8
    paths = sorted(files.rglob("*.png"))
    actual = task.predict(paths)
    right = [a == path.parent.name for a, path in zip(actual, paths, strict=True)]
    assert scores["accuracy"] == pytest.approx(np.mean(right))
    assert actual == task.predict([np.asarray(Image.open(path)) for path in paths])
    assert actual == task.predict([str(path) for path in paths], batch_size=3)


def test_images_of_other_sizes_are_counted(task, files, caplog):
    with caplog.at_level(logging.WARNING, "keras_attn"):
        task.predict([np.zeros((5, 3)), np.zeros((13, 11)), np.zeros((99, 2, 3))])
    assert "2 images resized to 11x13" in caplog.text


@pytest.mark.thorough
def test_a_signature_for_encoded_images(task, files, tmp_path):
    assert export.saved_model(task, tmp_path / "served").passed
    run = artifact.load(tmp_path / "served" / "1").run
    paths = sorted(files.rglob("*.png"))[5:14]
    actual = run("bytes", {"image_bytes": np.array([p.read_bytes() for p in paths], object)})
    assert [text.decode() for text in actual["text"]] == task.predict(paths)
    np.testing.assert_allclose(actual["scores"], task.predict_proba(paths), atol=1e-5)
    page = tmp_path / "served" / "1" / "assets.extra" / "SIGNATURES.md"
    assert len(said(page, tmp_path / "served")) == 3


@pytest.mark.thorough
def test_what_the_transformers_sample(task, tmp_path):
    image = strokes(1, seed=5)[0][0]
    (glimpse,) = task.transformer_samples(image)
    assert glimpse.sampled.shape == (13, 11, 1) and glimpse.grid.shape == (13, 11, 2)
    assert len(glimpse.outline()) == 2 * (13 + 11) - 4
    assert export.litert(task, tmp_path / "a.tflite").passed
    run = artifact.load(tmp_path / "a.tflite").run
    actual = run("attention", {"image": image[None, ..., None].astype("float32")})
    np.testing.assert_allclose(actual["sampled_0"][0], glimpse.sampled, atol=1e-4)
    np.testing.assert_allclose(actual["grid_0"][0], glimpse.grid, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "shapes"),
    [
        ({"preset": "cnn"}, []),
        ({"preset": "tps", "num_transformers": 2, "output_size": [10, 12]}, [(10, 12, 1)] * 2),
        ({"preset": "projective", "depths": [0, 1]}, [(13, 11, 1), (5, 4, 7)]),
    ],
)
def test_presets_and_transformers_side_by_side_and_at_depths(tmp_path, options, shapes):
    actual = zoo.ImageClassifier(**SMALL, **options)
    path = digit_images(tmp_path)
    actual.adapt(path)
    image = read_images(path).images[0]
    samples = actual.transformer_samples(image)
    assert [glimpse.sampled.shape for glimpse in samples] == shapes
    signatures = actual.export_parts(text=None).signatures
    assert ("attention" in signatures) is bool(shapes)


@pytest.mark.thorough
def test_the_transformers_learn_at_a_rate_of_their_own(tmp_path):
    path = digit_images(tmp_path)

    def moved(rate):
        """How far the bias of the transformer and the weights of a convolution move in a step."""
        actual = zoo.ImageClassifier(**SMALL)
        actual.adapt(path)
        weights = [actual.model.all_transformers[0].bias, actual.model.convolutions[0].kernel]
        before = [np.array(weight) for weight in weights]
        options = {**FIT, "batch_size": 61, "schedule": "constant", "warmup": 1}
        actual.fit(path, epochs=1, localization_rate=rate, **options)
        pairs = zip(weights, before, strict=True)
        return [np.abs(np.array(weight) - old).max() for weight, old in pairs]

    (slow, layer), (fast, same) = moved(0.1), moved(1.0)
    assert fast > 0 and slow == pytest.approx(0.1 * fast, rel=1e-2)
    assert layer == pytest.approx(same, rel=1e-4)


@pytest.mark.long
def test_a_run_with_changed_images_goes_on_as_if_it_had_not_stopped(tmp_path):
    path = digit_images(tmp_path)
    options = {**FIT, "shift": 0.2, "rotation": 20.0, "flip": True, "schedule": "constant"}
    losses = []
    for parts in ([4], [2, 4]):
        folder, actual = tmp_path / f"run{len(parts)}", zoo.ImageClassifier(**SMALL)
        actual.adapt(path)
        for epochs in parts:
            more = {"resume": True} if epochs != parts[0] else {}
            history = actual.fit(path, epochs=epochs, warmup=1, folder=folder, **options, **more)
        losses.append(history.history["loss"])
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-5)


def test_images_are_shown_beside_what_the_network_looks_at(task, files):
    page = pictures.section(task, None, task.preview(files, 12))
    assert page.count("<figure>") == 12 and page.count("data:image/png;base64,") == 24
    assert page.count("<polygon") == 12 and "✓" in page
    plain = zoo.ImageClassifier(preset="cnn", **{"layers": SMALL["layers"]})
    plain.adapt(files)
    assert pictures.section(plain, None, plain.preview(files, 2)) == ""


def test_inspect(files, tmp_path):
    (tmp_path / "more").mkdir()
    write(tmp_path / "more")
    (tmp_path / "more" / "down" / "bad.png").write_bytes(b"")
    actual = inspect(tmp_path / "more", files)
    assert (actual.task, actual.rows, actual.overlap) == ("image-classifier", 29, 29)
    assert actual.bad[0].endswith("bad.png: it is no PNG, JPEG, WebP, GIF, BMP or TIFF file")
    assert sum(actual.columns[0].values.values()) == 29 and "11x13 (26)" in actual.understood


@pytest.mark.thorough
def test_the_command_line(files, tmp_path):
    from typer.testing import CliRunner

    def run(*words):
        actual = CliRunner().invoke(app, [str(word) for word in words])
        assert actual.exit_code == 0, actual.output
        return actual.stdout

    out, paths = tmp_path / "run", sorted(files.rglob("*.png"))[:3]
    sets = [f"--set={name}={value}" for name, value in SMALL.items()]
    run("train", "image-classifier", "--data", files, "--out", out, "--epochs", 1, *sets)
    assert run("predict", out, *paths).splitlines() == zoo.load(out).predict(paths)
    assert "image-classifier fits these data" in run("inspect", files)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"channels": 2}, "channels must be 1 or 3, got 2"),
        ({"image_size": "28"}, "image_size must be WIDTHxHEIGHT, such as 28x28, got '28'"),
        ({"image_size": "0x9"}, "image_size must be"),
        ({"image_size": "99999x9"}, "image_size must be"),
    ],
)
def test_settings_it_refuses(options, message):
    with pytest.raises(UserError, match=message):
        zoo.ImageClassifier(**options)


def test_data_it_refuses(tmp_path):
    images = [(np.zeros((13, 11)), "a"), (np.zeros((13, 11, 3)), "b")]
    with pytest.raises(UserError, match="image 2 has 3 channels, and .*image 1 has 1"):
        zoo.ImageClassifier(**SMALL).adapt(images)
    task = zoo.ImageClassifier(channels=3, **SMALL)
    task.adapt(images)
    with pytest.raises(UserError, match="images of 11x13 pixels are too small for stn_classifier"):
        zoo.ImageClassifier().adapt(images[:1] + [(np.zeros((13, 11)), "b")])
    with pytest.raises(UserError, match="has only one label, 'across'; classification needs"):
        Image.fromarray(np.zeros((13, 11), np.uint8)).save(
            (tmp_path / "across").mkdir() or tmp_path / "across" / "a.png"
        )
        zoo.ImageClassifier().adapt(tmp_path)
    with pytest.raises(UserError, match="predict takes a list of images; got a single one"):
        task.predict("a.png")
