"""One runtime that reads a prompt and writes tokens; benchmarks/phone_runtimes.py runs it.

    python -P phone_runtimes_peer.py '{"runtime": "llama.cpp", "file": "smollm2.gguf", ...}'
    python -P phone_runtimes_peer.py FILE.gguf FILE.Q8_0.gguf

The second command writes the weights of a GGUF file in Q8_0, by llama.cpp itself.

Imports nothing of this project: it runs in environments with litert_lm, llama_cpp or transformers.
"""

import json
import os
import sys
import time

WORDS = "one two three four five six seven eight nine ten".split()  # a token each
FIRST = 16  # tokens of the first prompt
WARM = 8  # tokens that are written before the measurement


def text_of(count, tokenize):
    """A text of so many tokens that goes round, so that a model has no reason to end it."""
    text = " ".join(WORDS[i % len(WORDS)] for i in range(count))
    found = len(tokenize(text))
    assert found == count, f"{count} words are {found} tokens"
    return text


class LiteRTLM:
    """Bundles, with the files in which the runtime keeps packed weights."""

    reading_gives_token = False

    def __init__(self, file, context, cache):
        import litert_lm

        litert_lm.set_min_log_severity(litert_lm.LogSeverity.ERROR)
        self.greedy = litert_lm.SamplerConfig(top_k=1, top_p=0.0, temperature=1.0)
        backend = litert_lm.interfaces.CPU(thread_count=1)
        how = {"backend": backend, "cache_dir": cache, "enable_benchmark": True}
        self.engine = litert_lm.Engine(file, **how)

    def begin(self, count, new):
        self.session = None  # which frees the caches of the last one
        words = count - (self.engine.bos_token_id is not None)
        self.text = text_of(words, self.engine.tokenize)
        how = {"apply_prompt_template": False, "max_output_tokens": new}
        self.session = self.engine.create_session(**how, sampler_config=self.greedy)

    def read(self):
        self.session.run_prefill([self.text])

    def write(self, new):
        self.session.run_decode()

    def count(self):
        found = self.session.get_benchmark_info()
        return found.last_prefill_token_count, found.last_decode_token_count


class LlamaCpp:
    """GGUF files; the loop around `llama_decode` is llama.cpp's own, without a sampler."""

    reading_gives_token = True

    def __init__(self, file, context, cache):
        import llama_cpp
        import numpy

        self.numpy, self.library = numpy, llama_cpp
        threads = {"n_threads": 1, "n_threads_batch": 1}
        self.llama = llama_cpp.Llama(
            file, n_ctx=context, n_batch=context, n_ubatch=512, verbose=False, **threads
        )
        self.state = self.llama.ctx

    def begin(self, count, new):
        memory = self.library.llama_get_memory(self.state)
        self.library.llama_memory_clear(memory, True)
        self.ids = []

        def tokenize(text):
            self.ids = self.llama.tokenize(text.encode(), add_bos=False)
            return self.ids

        text_of(count, tokenize)
        self.written = 0

    def read(self):
        self.next = self.after(self.ids)

    def write(self, new):
        for _ in range(new):
            self.next = self.after([self.next])
            self.written += 1

    def after(self, ids):
        """The most probable token after `ids`."""
        tokens = (self.library.llama_token * len(ids))(*ids)
        batch = self.library.llama_batch_get_one(tokens, len(ids))
        assert self.library.llama_decode(self.state, batch) == 0
        logits = self.library.llama_get_logits_ith(self.state, -1)
        return int(self.numpy.ctypeslib.as_array(logits, (self.llama.n_vocab(),)).argmax())

    def count(self):
        return len(self.ids), self.written


class Transformers:
    """A folder of Hugging Face's library, on PyTorch in float32."""

    reading_gives_token = True

    def __init__(self, file, context, cache):
        import torch
        import transformers

        torch.set_num_threads(1)
        transformers.utils.logging.disable_progress_bar()
        self.torch, self.library = torch, transformers
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(file)
        kind = transformers.AutoModelForCausalLM
        self.model = kind.from_pretrained(file, dtype=torch.float32).eval()

    def begin(self, count, new):
        text = text_of(count, self.tokenizer.tokenize)
        how = {"return_tensors": "pt", "add_special_tokens": False}
        self.ids = self.tokenizer(text, **how)["input_ids"]
        self.cache = self.library.DynamicCache(config=self.model.config)
        self.written = 0

    def read(self):
        self.next = self.after(self.ids)

    def write(self, new):
        for _ in range(new):
            self.next = self.after(self.next)
            self.written += 1

    def after(self, ids):
        with self.torch.inference_mode():
            logits = self.model(ids, cache=self.cache, logits_to_keep=1).logits
        return logits[:, -1].argmax(-1, keepdim=True)

    def count(self):
        return self.ids.shape[1], self.written


RUNTIMES = {"LiteRT-LM": LiteRTLM, "llama.cpp": LlamaCpp, "transformers": Transformers}


def timed(call, *arguments):
    """Seconds of a call, of the processor (in all threads) and by the clock."""
    used, begin = time.process_time(), time.perf_counter()
    call(*arguments)
    return time.process_time() - used, time.perf_counter() - begin


def peak_memory():
    """Bytes in memory at most; of this program alone, unlike `getrusage` after a fork."""
    with open("/proc/self/status") as file:
        (line,) = (line for line in file if line.startswith("VmHWM"))
    return 1024 * int(line.split()[1])


def measure(runtime, file, prompt, new, begun, cache=""):
    """One turn; `begun` is when the process was started, by `time.monotonic`."""
    model = RUNTIMES[runtime](file, prompt + new, cache)
    model.begin(FIRST, 1)
    model.read()
    if not model.reading_gives_token:
        model.write(1)
    first = time.process_time(), time.monotonic() - begun
    model.begin(prompt, WARM)
    model.read()
    model.write(WARM)
    model.begin(prompt, new)
    prefill, decode = timed(model.read), timed(model.write, new)
    tokens = model.count()
    return {
        "first_cpu": first[0],
        "first_wall": first[1],
        "prefill_tokens": tokens[0],
        "prefill_cpu": prefill[0],
        "prefill_wall": prefill[1],
        "decode_tokens": tokens[1],
        "decode_cpu": decode[0],
        "decode_wall": decode[1],
        "peak_bytes": peak_memory(),
    }


def quantize(file, out):
    """Writes the weights of a GGUF file in Q8_0."""
    import llama_cpp

    settings = llama_cpp.llama_model_quantize_default_params()
    settings.ftype, settings.allow_requantize = llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0, True
    assert llama_cpp.llama_model_quantize(file.encode(), out.encode(), settings) == 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        quantize(*sys.argv[1:])
    else:
        options = json.loads(sys.argv[1])
        os.sched_setaffinity(0, {options.pop("core")})
        print(json.dumps(measure(**options)))
