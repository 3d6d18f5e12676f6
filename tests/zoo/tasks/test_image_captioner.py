"""Image captioning where the contract of tasks does not look: options, files, weights of the
backbone, several references, what the model looks at."""

import logging

import numpy as np
import pytest
from PIL import Image
from sacrebleu.metrics import BLEU

import export
import zoo
from export.worker import artifact
from tests.scores import score_captions
from tests.tasks.api import command
from tests.tasks.cases.files import colored, squares
from zoo.data.batching.augment import Augmentation
from zoo.data.inspection import inspect
from zoo.errors import UserError
from zoo.metrics.cider import cider
from zoo.models.backbones import create_backbone
from zoo.report import captions as pictures
from zoo.training.weights import save_weights

SMALL = {"filters": [5, 7], "embedding_dim": 19, "units": 23, "dropout": 0.0}
SMALL |= {"vocabulary_size": 61, "max_length": 11}
FIT = {"learning_rate": 0.02, "batch_size": 13, "verbose": False}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return squares(tmp_path_factory.mktemp("squares"))


@pytest.fixture(scope="module")
def task(data):
    actual = zoo.ImageCaptioner(**SMALL)
    actual.adapt(data)
    actual.fit(data, epochs=16, **FIT)
    return actual


@pytest.mark.thorough
def test_it_learns_what_is_where(task, data):
    assert (task.settings.image_size, task.settings.channels) == ("16x12", 3)
    images, captions = colored(13, seed=31)
    scores = task.evaluate(list(zip(images, captions, strict=True)))
    assert scores["bleu_4"] > 90
    same = score_captions(captions, [task.baselines.answer] * len(images))
    assert {name: scores[f"typical_caption_{name}"] for name in same} == pytest.approx(same)
    for beams in (1, 3):
        actual = task.predict(images, beams=beams)
        right = [a in b for a, b in zip(actual, captions, strict=True)]
        assert np.mean(right) > 0.8
    files = sorted(data.parent.glob("*.png"))[:5]
    assert task.predict(files) == task.predict([np.asarray(Image.open(x)) for x in files])
    assert task.generate_ids(files).shape == (5, 11)
    assert {each.text for each in task.candidates(files[:1], beams=2)[0]} >= {
        *task.predict(files[:1])
    }


def test_scores_are_those_of_sacrebleu_with_all_references(caplog):
    references = [["a red hat", "the hat is red"], ["two dogs", "dogs run in a field", "a dog"]]
    actual = ["the red hat is", "dogs run in the field"]
    scores = score_captions(references, actual)
    streams = [
        ["a red hat", "two dogs"],
        ["the hat is red", "dogs run in a field"],
        [None, "a dog"],
    ]
    for order in range(1, 5):
        expected = BLEU(max_ngram_order=order).corpus_score(actual, streams).score
        assert scores[f"bleu_{order}"] == pytest.approx(expected)
    assert list(scores) == ["bleu_1", "bleu_2", "bleu_3", "bleu_4", "cider"]
    score_captions([["a hat ."]] * 100, ["a hat ."] * 100)
    assert not caplog.records  # of sacrebleu, whose advice nobody could take


def test_cider_is_that_of_its_published_code():
    """The numbers are those of pycocoevalcap 1.2, times 100."""
    references = [
        ["A red hat on a table.", "the red hat"],
        ["Two dogs run across the snow", "two dogs are running in the snow", "dogs"],
        ["A man rides a bike", "a man on a bike rides on a hill"],
        ["a cat"],
    ]
    actual = ["a red hat", "two dogs run in the snow", "A man rides a red bike.", ""]
    assert np.mean(cider(references, actual)) == pytest.approx(272.86751228185113)
    assert cider(references[:1], actual[:1]) == [0] and cider([], []) == []


@pytest.mark.long
def test_maps_show_where_the_square_is(task):
    images, _ = colored(29, seed=5)
    for image in images[:3]:
        maps = task.attention_by_token(image)
        (actual,) = task.attention(image)
        assert [token for token, _ in maps] == actual.target_tokens
        assert actual.source_tokens[:5] == ["0,0", "0,1", "0,2", "0,3", "1,0"]
        assert all(weights.shape == task.model.grid == (3, 4) for _, weights in maps)
        np.testing.assert_allclose([w.sum() for _, w in maps], 1, rtol=1e-5)


@pytest.mark.long
def test_the_penalty_spreads_the_attention(data):
    def missed(penalty):
        actual = zoo.ImageCaptioner(**SMALL)
        actual.adapt(data)
        actual.fit(data, epochs=8, attention_penalty=penalty, **FIT)
        inputs, _ = next(iter(actual.batches(actual.read(data), actual.Training()).dataset()))
        sums = actual.model(inputs)["attention"].numpy()
        return ((1 - sums) ** 2).sum(axis=1).mean()

    assert missed(10.0) < 0.7 * missed(0.0)


def test_batches_have_the_image_of_each_caption(data):
    task = zoo.ImageCaptioner(**SMALL)
    task.adapt(data)
    examples = task.read(data)
    batches = task.batches(examples, task.Training(batch_size=13))
    assert batches.steps_per_epoch == -(-122 // 13)
    seen = {}
    for inputs, labels in batches.dataset():
        texts = task.preprocessor.detokenize(labels["logits"]).numpy()
        for image, text in zip(inputs["image"].numpy(), texts, strict=True):
            if text:
                seen.setdefault(image.astype("uint8").tobytes(), set()).add(text.decode())
    expected = {
        np.asarray(Image.open(path)).tobytes(): set(captions)
        for path, captions in zip(examples.images, examples.captions, strict=True)
    }
    assert seen == expected


@pytest.mark.thorough
def test_training_images_are_changed_and_others_are_not(task, data):
    examples = task.read(data)
    training = task.Training(flip=True, shift=0.1)

    def first(batches, **options):
        return next(iter(batches.dataset(shuffle=False, **options)))[0]["image"].numpy()

    plain = first(task.batches(examples, task.Training()))
    changed = [first(task.batches(examples, training), start_epoch=epoch) for epoch in (0, 0, 1)]
    np.testing.assert_array_equal(changed[0], changed[1])
    assert np.abs(changed[0] - changed[2]).max() > 50 and np.abs(changed[0] - plain).max() > 50
    held_out = task.batches(examples, training, held_out=True)
    assert not np.shares_memory(first(held_out), plain) and Augmentation(flip=True).changes
    every = {x.tobytes() for inputs, _ in held_out.dataset() for x in inputs["image"].numpy()}
    assert {x.tobytes() for x in plain} <= every


class TestSizes:
    @pytest.mark.thorough
    def test_images_smaller_than_the_model_are_enlarged_and_counted(self, task, caplog):
        image = np.zeros((5, 6, 3), np.uint8)
        with caplog.at_level(logging.INFO, "keras_attn"):
            assert len(task.predict([image, image])) == 2
        assert "2 images resized to 16x12" in caplog.text

    def test_a_model_larger_than_its_images(self, data):
        for options, message in (
            ({"image_size": "3x9"}, "images of 3x9 pixels are too small for the backbone conv"),
            ({"backbone": "MobileNetV2"}, "16x12 pixels are too small for the backbone Mobile"),
            ({"image_size": "9"}, "image_size must be WIDTHxHEIGHT"),
            ({"channels": 2}, "channels must be 1 or 3, got 2"),
        ):
            with pytest.raises(UserError, match=message):
                zoo.ImageCaptioner(**{**SMALL, **options}).adapt(data)

    def test_mixed_numbers_of_channels_need_a_choice(self):
        rows = [(np.zeros((12, 16)), "dark"), (np.zeros((12, 16, 3)), "black")]
        with pytest.raises(UserError, match=r"image 2 has 3 channels, and .*image 1 has 1: choose"):
            zoo.ImageCaptioner(**SMALL).adapt(rows)
        for channels in (1, 3):
            task = zoo.ImageCaptioner(**SMALL, channels=channels)
            task.adapt(rows)
            assert task.model.inputs[0].shape[-1] == channels


@pytest.mark.thorough
class TestBackboneWeights:
    @pytest.fixture
    def file(self, tmp_path):
        path = tmp_path / "conv.weights.h5"
        backbone = create_backbone("conv", [12, 16], 3, SMALL["filters"])
        save_weights(backbone, path)
        return path, [np.array(weight) for weight in backbone.weights]

    @pytest.mark.long
    @pytest.mark.parametrize(("options", "frozen"), [({}, True), ({"freeze": 0}, False)])
    def test_they_are_loaded_and_kept_unless_told_otherwise(
        self, data, file, options, frozen, tmp_path
    ):
        path, weights = file
        task = zoo.ImageCaptioner(**SMALL, backbone_weights=path)
        task.adapt(data)
        task.fit(data, epochs=2, folder=tmp_path / "run", **FIT, **options)
        assert task.training["freeze"] == int(frozen)
        same = [
            np.array_equal(a, b) for a, b in zip(task.model.backbone.weights, weights, strict=True)
        ]
        assert all(same) if frozen else not any(same)
        assert "conv.weights.h5" in (tmp_path / "run" / "log.txt").read_text("utf-8")
        path.rename(path.with_name("elsewhere.h5"))  # a run needs its own files only
        images, _ = colored(3, seed=2)
        assert zoo.load(tmp_path / "run").predict(images) == task.predict(images)

    def test_without_weights_it_is_trained(self, task):
        assert task.training["freeze"] == 0

    def test_a_missing_file(self, data):
        with pytest.raises(UserError, match=r"nowhere.weights.h5 is missing"):
            zoo.ImageCaptioner(**SMALL, backbone_weights="nowhere.weights.h5").adapt(data)


@pytest.mark.long
def test_a_saved_model_describes_encoded_images(task, data, tmp_path):
    assert export.saved_model(task, tmp_path / "served", beams=2).passed
    run = artifact.load(tmp_path / "served" / "1").run
    files = sorted(data.parent.glob("*.png"))[:5]
    content = np.array([path.read_bytes() for path in files], object)
    actual = run("bytes", {"image_bytes": content})["text"]
    assert [text.decode() for text in actual] == task.predict(files, beams=2)
    maps = run(
        "attention", {"image": np.stack([np.array(Image.open(x), "float32") for x in files])}
    )
    assert maps["cross_0"].shape[1::2] == (1, 12)


def test_a_shadow_leaves_visible_what_is_looked_at():
    weights = np.zeros((3, 4), "float32")
    weights[1, 2] = 0.9
    actual = pictures.shadow(weights)
    assert actual.shape == (12, 16, 4) and (actual[..., :3] == 0).all()
    assert actual[5, 9, 3] < 30 and actual[0, 0, 3] == pytest.approx(255 * pictures.DARK)


def test_inspect_recognizes_the_table(data, tmp_path):
    actual = inspect(data)
    assert (actual.task, actual.rows, actual.bad) == ("image-captioner", 61, [])
    assert "61 images with 122 captions" in actual.understood
    (tmp_path / "a.csv").write_text("image,caption\na.png,a hat\n")  # not beside its images
    told = inspect(tmp_path / "a.csv").understood
    assert "such as a.png: name their folder with images" in told


@pytest.mark.long
def test_the_command_line(data, tmp_path):
    run, table = tmp_path / "run", tmp_path / "captions.jsonl"
    table.write_bytes(data.read_bytes())
    where = ["--data", table, "--images", data.parent]
    small = ["--set", "filters=[5,7]", "--set", "units=23", "--vocabulary-size", 61]
    small += ["--epochs", 1, "--validation", 0.2]
    actual = command("train", "image-captioner", *where, "--out", run, *small)
    assert actual.exit_code == 0, actual.stderr
    actual = command("evaluate", run, *where)
    assert actual.exit_code == 0 and "bleu_4" in actual.stdout
    files = sorted(data.parent.glob("*.png"))[:2]
    actual = command("predict", run, *files, "--beams", 2)
    assert actual.exit_code == 0 and len(actual.stdout.splitlines()) == 2
