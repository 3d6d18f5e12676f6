"""The tasks of the zoo by name, as literal rows."""

from zoo.registry_rows import TaskRow, by_name

_PAIRS = "Pairs of a source and a target text, as CSV, TSV, JSONL, JSON, Parquet or Excel."
_TEXTS = "Plain text: a text file, a folder of .txt files, or a table with a text column."
_GRAPHS = (
    "Graphs: Planetoid's files, .npz files, or tables of nodes and of edges, as CSV, TSV, JSONL, "
    "JSON, Parquet or Excel."
)
_IMAGES = (
    "Images with labels: a folder with a folder of images for each label, an .npz "
    "file, or an idx file."
)
_VALUED_IMAGES = (
    "Images with values: a table with a column of image files and columns of numbers, as CSV, TSV, "
    "JSONL, JSON, Parquet or Excel, or an .npz file."
)
_CAPTIONS = (
    "Images with captions: a table with a column of image files and one of captions, as CSV, "
    "TSV, JSONL, JSON, Parquet or Excel."
)
_SERIES = (
    "Time series: a table with a row for each time and a column of times, as CSV, TSV, JSONL, "
    "JSON, Parquet or Excel, or a folder of such tables."
)
_LABELED_SERIES = (
    "Series with labels: a table with a row for each step and columns of the series and of its "
    "label, as CSV, TSV, JSONL, JSON, Parquet or Excel, or an .npz file."
)
_VALUED_SERIES = (
    "Series with values: a table with a row for each step and columns of the series and of its "
    "values to predict, as CSV, TSV, JSONL, JSON, Parquet or Excel, or an .npz file."
)
_RECORDINGS = (
    "A table of the paths of recordings and their transcripts, as CSV, TSV, JSONL, JSON, Parquet "
    "or Excel."
)
_VALUED = "Texts or pairs of texts with values, as CSV, TSV, JSONL, JSON, Parquet or Excel."
_ANSWERED = (
    "Questions with passages and answers: files in the format of SQuAD, or tables, as CSV, TSV, "
    "JSONL, JSON, Parquet or Excel."
)
_PASSAGES = (
    "Queries with passages: each with a score, with a passage that does not fit, or with neither, "
    "as CSV, TSV, JSONL, JSON, Parquet or Excel."
)
_LABELED = "Labeled texts or labeled pairs of texts, as CSV, TSV, JSONL, JSON, Parquet or Excel."

TASKS = by_name(
    TaskRow(
        "text-to-text",
        "zoo.tasks.text_to_text:TextToText",
        "zoo.tasks.options.text_to_text",
        "Generates a target text for a source text: translation, summarization, rewriting.",
        _PAIRS,
        (
            "--data train.tsv --validation val.tsv --out runs/en-de",
            "--data train.tsv --out runs/en-de --resume",
            "--model transformer --preset base --data train.tsv --out runs/base --epochs 20",
            "--model attention_seq2seq --set score=dot --data train.tsv --out runs/rnn",
            "--pretrained runs/news-bart --data pairs.tsv --out runs/pairs",
        ),
        hub_name="text2text-generation",
    ),
    TaskRow(
        "causal-lm",
        "zoo.tasks.causal_lm:CausalLM",
        "zoo.tasks.options.causal_lm",
        "Continues a text, token by token.",
        _TEXTS,
        ("--model gpt --data plays.txt --out runs/plays --epochs 20",),
        hub_name="text-generation",
    ),
    TaskRow(
        "masked-lm",
        "zoo.tasks.masked_lm:MaskedLM",
        "zoo.tasks.options.masked_lm",
        "Fills in masked words, and predicts whether one text follows another.",
        _TEXTS,
        ("--data news.jsonl --out runs/news --whole-words",),
        hub_name="fill-mask",
    ),
    TaskRow(
        "denoising",
        "zoo.tasks.denoising:Denoising",
        "zoo.tasks.options.denoising",
        "Restores text that was masked, deleted or reordered.",
        _TEXTS,
        ("--data news.jsonl --out runs/news-bart",),
    ),
    TaskRow(
        "text-classifier",
        "zoo.tasks.text_classifier:TextClassifier",
        "zoo.tasks.options.text_classifier",
        "Predicts the label of a text, or of a pair of texts.",
        _LABELED,
        (
            "--data reviews.tsv --validation val.tsv --out runs/reviews",
            "--pretrained all-MiniLM-L6-v2/ --data reviews.tsv --out runs/bert --epochs 4",
        ),
        hub_name="text-classification",
    ),
    TaskRow(
        "text-regressor",
        "zoo.tasks.text_regressor:TextRegressor",
        "zoo.tasks.options.text_regressor",
        "Predicts a value of a text or of a pair of texts, or several.",
        _VALUED,
        (
            "--data reviews.csv --validation 0.1 --out runs/ratings",
            "--data wines.csv --value-column price,points --out runs/wines",
            "--pretrained all-MiniLM-L6-v2/ --data pairs.tsv --out runs/likeness --epochs 4",
        ),
        hub_name="text-classification",
    ),
    TaskRow(
        "text-pair-scorer",
        "zoo.tasks.text_pair_scorer:TextPairScorer",
        "zoo.tasks.options.text_pair_scorer",
        "Scores pairs of texts, to rank the passages of a query (a cross-encoder, or reranker).",
        _PASSAGES,
        (
            "--data triples.tsv --validation 0.1 --out runs/reranker",
            "--pretrained all-MiniLM-L6-v2/ --data questions.csv --query-column question "
            "--passage-column answer --negatives 8 --out runs/reranker",
        ),
        hub_name="text-ranking",
    ),
    TaskRow(
        "token-tagger",
        "zoo.tasks.token_tagger:TokenTagger",
        "zoo.tasks.options.token_tagger",
        "Predicts a tag for each word of a text.",
        "Words with their tags, in CoNLL format.",
        ("--data train.conll --validation dev.conll --out runs/names",),
        hub_name="token-classification",
    ),
    TaskRow(
        "question-answering",
        "zoo.tasks.question_answering:QuestionAnswering",
        "zoo.tasks.options.question_answering",
        "Finds the part of a passage that answers a question.",
        _ANSWERED,
        (
            "--data train-v2.0.json --validation dev-v2.0.json --out runs/squad",
            "--pretrained bert-base-uncased/ --data questions.csv --out runs/answers --epochs 2",
        ),
        hub_name="question-answering",
    ),
    TaskRow(
        "text-embedder",
        "zoo.tasks.text_embedder:TextEmbedder",
        "zoo.tasks.options.text_embedder",
        "Maps a text to a vector that is close to those of similar texts.",
        _PAIRS,
        ("--pretrained all-MiniLM-L6-v2/ --data pairs.tsv --out runs/vectors",),
        hub_name="sentence-similarity",
    ),
    TaskRow(
        "multi-task",
        "zoo.tasks.multi_task:MultiTask",
        "zoo.tasks.options.multi_task",
        "Trains several tasks on texts with one shared encoder: labels, values and tags.",
        "One NAME=FILE for each task, in the form that text-classifier, text-regressor or "
        "token-tagger reads.",
        (
            "--data mrpc=mrpc.tsv --data rte=rte.tsv --weights rte=2 --sampling 0 --out runs/glue",
            "--data stars=stars.csv --data names=names.conll --kinds stars=values --learn-weights "
            "--out runs/several",
        ),
        hub_name="text-classification",
    ),
    TaskRow(
        "node-classifier",
        "zoo.tasks.node_classifier:NodeClassifier",
        "zoo.tasks.options.node_classifier",
        "Predicts the label, or the labels, of each node of a graph.",
        _GRAPHS,
        (
            "--data cora/ --out runs/cora",
            "--preset ppi --data train/ --validation val/ --multi-label --out runs/ppi",
        ),
        hub_name="graph-ml",
    ),
    TaskRow(
        "image-classifier",
        "zoo.tasks.image_classifier:ImageClassifier",
        "zoo.tasks.options.image_classifier",
        "Predicts the label of an image.",
        _IMAGES,
        (
            "--data train/ --validation 0.1 --out runs/signs",
            "--preset tps --data train-images-idx3-ubyte.gz --shift 0.1 --out runs/digits",
        ),
        hub_name="image-classification",
    ),
    TaskRow(
        "image-regressor",
        "zoo.tasks.image_regressor:ImageRegressor",
        "zoo.tasks.options.image_regressor",
        "Predicts a value of an image, or several.",
        _VALUED_IMAGES,
        (
            "--data ages.csv --images faces/ --validation 0.1 --out runs/ages",
            "--data train.npz --loss huber --shift 0.1 --out runs/counts",
        ),
    ),
    TaskRow(
        "image-captioner",
        "zoo.tasks.image_captioner:ImageCaptioner",
        "zoo.tasks.options.image_captioner",
        "Describes an image in words.",
        _CAPTIONS,
        (
            "--data captions.csv --images photos/ --validation 0.1 --out runs/captions",
            "--data captions.jsonl --set backbone=MobileNetV2 --backbone-weights "
            "mobilenet.weights.h5 --out runs/captions",
        ),
        hub_name="image-to-text",
    ),
    TaskRow(
        "series-forecaster",
        "zoo.tasks.series_forecaster:SeriesForecaster",
        "zoo.tasks.options.series_forecaster",
        "Forecasts quantiles of the next values of series.",
        _SERIES,
        (
            "--data sales.csv --horizon 12 --validation 0.1 --out runs/sales",
            "--data shops/ --known-column holiday,price --set encoder=attention --out runs/shops",
        ),
        hub_name="time-series-forecasting",
    ),
    TaskRow(
        "series-classifier",
        "zoo.tasks.series_classifier:SeriesClassifier",
        "zoo.tasks.options.series_classifier",
        "Predicts the label of a series.",
        _LABELED_SERIES,
        (
            "--data train.csv --validation 0.1 --out runs/gestures",
            "--data train.npz --set encoder=rnn --out runs/gestures",
        ),
    ),
    TaskRow(
        "series-regressor",
        "zoo.tasks.series_regressor:SeriesRegressor",
        "zoo.tasks.options.series_regressor",
        "Predicts a value of a series, or several.",
        _VALUED_SERIES,
        (
            "--data train.csv --target-column weight --validation 0.1 --out runs/weights",
            "--data train.npz --loss mae --set encoder=rnn --out runs/weights",
        ),
    ),
    TaskRow(
        "speech-recognizer",
        "zoo.tasks.speech_recognizer:SpeechRecognizer",
        "zoo.tasks.options.speech_recognizer",
        "Writes what is said in a recording.",
        _RECORDINGS,
        (
            "--data train.tsv --validation 0.1 --out runs/commands",
            "--preset causal --data train.tsv --time-masks 2 --out runs/live",
        ),
        hub_name="automatic-speech-recognition",
    ),
)
# Tasks whose data may be larger than memory: `keras-attn prepare`.
PREPARED = (
    "causal-lm",
    "denoising",
    "masked-lm",
    "text-classifier",
    "text-embedder",
    "text-to-text",
)
