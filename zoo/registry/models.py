"""The models of the zoo by name, as literal rows."""

from zoo import presets
from zoo.registry_rows import ModelRow, by_name

MODELS = by_name(
    ModelRow(
        "ngram_classifier",
        tasks={
            "text-classifier": "zoo.models.ngram_classifier:NgramClassifier",
            "text-regressor": "zoo.models.ngram_classifier:NgramClassifier",
        },
        paper="Joulin et al. 2017; Salton & Buckley 1988",
        presets=presets.NGRAM_CLASSIFIER,
        settings={"tokenizer": "auto", "vocabulary_size": 30_000, "max_length": 1024},
        training={"optimizer": "sgd", "learning_rate": 10.0, "batch_tokens": None},
        training_of={"text-regressor": {"optimizer": "adam", "learning_rate": 0.01}},
    ),
    ModelRow(
        "rnn_classifier",
        tasks={
            "text-classifier": "zoo.models.rnn_classifier:RNNClassifier",
            "text-regressor": "zoo.models.rnn_classifier:RNNClassifier",
            "text-pair-scorer": "zoo.models.rnn_classifier:RNNClassifier",
        },
        backbone="zoo.models.rnn_encoder:RNNEncoder",
        paper="Graves & Schmidhuber 2005; Tai et al. 2015",
        presets=presets.RNN_CLASSIFIER,
    ),
    ModelRow(
        "han",
        tasks={"text-classifier": "zoo.models.han:HAN", "text-regressor": "zoo.models.han:HAN"},
        paper="Yang et al. 2016",
        presets=presets.HAN,
        reads_sentences=True,
        settings={
            "tokenizer": "words",
            "vocabulary_size": 30_000,
            "max_length": 1024,
            "max_sentence_length": 30,
        },
        training={"batch_tokens": 32_768},
    ),
    ModelRow(
        "rnn_tagger",
        tasks={"token-tagger": "zoo.models.rnn_tagger:RNNTagger"},
        backbone="zoo.models.rnn_encoder:RNNEncoder",
        paper="Graves & Schmidhuber 2005; Huang et al. 2015",
        presets=presets.RNN_TAGGER,
    ),
    ModelRow(
        "conv_tagger",
        tasks={"token-tagger": "zoo.models.conv_tagger:ConvTagger"},
        paper="Collobert et al. 2011; Gehring et al. 2017",
        presets=presets.CONV_TAGGER,
    ),
    ModelRow(
        "bert",
        tasks={
            "masked-lm": "zoo.models.bert_masked_lm:BertMaskedLM",
            "text-classifier": "zoo.models.bert_classifiers:BertTextClassifier",
            "text-regressor": "zoo.models.bert_classifiers:BertTextClassifier",
            "text-pair-scorer": "zoo.models.bert_classifiers:BertTextClassifier",
            "token-tagger": "zoo.models.bert_classifiers:BertTokenClassifier",
            "question-answering": "zoo.models.bert_classifiers:BertTokenClassifier",
            "text-embedder": "zoo.models.bert_text_embedder:BertTextEmbedder",
            "multi-task": "zoo.models.bert_classifiers:BertMultiTask",
        },
        backbone="zoo.models.bert:Bert",
        paper="Devlin et al. 2019",
        presets=presets.BERT,
    ),
    ModelRow(
        "rnn_lm",
        tasks={"causal-lm": "zoo.models.rnn_lm:RNNLM"},
        paper="Mikolov et al. 2010; Zaremba et al. 2014",
        presets=presets.RNN_LM,
    ),
    ModelRow(
        "rnn_seq2seq",
        tasks={"text-to-text": "zoo.models.rnn_seq2seq:RNNSeq2Seq"},
        paper="Sutskever et al. 2014; Cho et al. 2014",
        presets=presets.RNN_SEQ2SEQ,
    ),
    ModelRow(
        "attention_seq2seq",
        tasks={"text-to-text": "zoo.models.attention_seq2seq:AttentionSeq2Seq"},
        paper="Bahdanau et al. 2015; Luong et al. 2015",
        presets=presets.ATTENTION_SEQ2SEQ,
    ),
    ModelRow(
        "conv_s2s",
        tasks={"text-to-text": "zoo.models.conv_s2s:ConvS2S"},
        paper="Gehring et al. 2017",
        presets=presets.CONV_S2S,
    ),
    ModelRow(
        "transformer",
        tasks={"text-to-text": "zoo.models.transformer:Transformer"},
        paper="Vaswani et al. 2017",
        presets=presets.TRANSFORMER,
    ),
    ModelRow(
        "bart",
        tasks={"denoising": "zoo.models.bart:Bart", "text-to-text": "zoo.models.bart:Bart"},
        paper="Lewis et al. 2020",
        presets=presets.BART,
    ),
    ModelRow(
        "t5",
        tasks={"text-to-text": "zoo.models.t5:T5"},
        paper="Raffel et al. 2020; Shazeer 2020",
        presets=presets.T5,
    ),
    ModelRow(
        "gpt",
        tasks={"causal-lm": "zoo.models.gpt:GPT"},
        paper="Radford et al. 2018; Radford et al. 2019",
        presets=presets.GPT,
    ),
    ModelRow(
        "llama",
        tasks={"causal-lm": "zoo.models.llama:Llama"},
        paper="Touvron et al. 2023; Ainslie et al. 2023",
        presets=presets.LLAMA,
    ),
    ModelRow(
        "prefix_gpt",
        tasks={"text-to-text": "zoo.models.prefix_gpt:PrefixGPT"},
        paper="Raffel et al. 2020, section 3.2.1; Radford et al. 2019",
        presets=presets.GPT,
        backbone="zoo.models.gpt:GPT",
        layers_of="gpt",
    ),
    ModelRow(
        "gat",
        tasks={"node-classifier": "zoo.models.gat:GAT"},
        paper="Veličković et al. 2018",
        presets=presets.GAT,
    ),
    ModelRow(
        "stn_classifier",
        tasks={
            "image-classifier": "zoo.models.stn_classifier:STNClassifier",
            "image-regressor": "zoo.models.stn_classifier:STNClassifier",
        },
        paper="Jaderberg et al. 2015",
        presets=presets.STN_CLASSIFIER,
    ),
    ModelRow(
        "captioner",
        tasks={"image-captioner": "zoo.models.captioner:Captioner"},
        paper="Xu et al. 2015",
        presets=presets.CAPTIONER,
    ),
    ModelRow(
        "series_model",
        tasks={"series-forecaster": "zoo.models.series_model:SeriesModel"},
        paper="Wen et al. 2017; Kim et al. 2022",
        presets=presets.SERIES_MODEL,
    ),
    ModelRow(
        "series_classifier",
        tasks={
            "series-classifier": "zoo.models.series_classifier:SeriesClassifier",
            "series-regressor": "zoo.models.series_classifier:SeriesClassifier",
        },
        paper="Wang et al. 2017",
        presets=presets.SERIES_CLASSIFIER,
    ),
    ModelRow(
        "ctc_recognizer",
        tasks={"speech-recognizer": "zoo.models.ctc_recognizer:CTCRecognizer"},
        paper="Graves et al. 2006; Graves & Jaitly 2014; Park et al. 2019",
        presets=presets.CTC_RECOGNIZER,
    ),
)
