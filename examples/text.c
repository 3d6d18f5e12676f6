/* Text in, text out of a LiteRT file with text="bytes" and one shape, with LiteRT's C library alone.
 *
 *     cc text.c -L DIR -l LiteRt -Wl,-rpath,DIR -o text
 *     ./text en-de.tflite "a man in a red hat"
 *     ./text --stream stream.tflite "a man in a red hat"
 *
 * The second one writes each token when it is there, with a file of stream=True.
 * DIR is the folder of libLiteRt.so, such as that of the Python package ai_edge_litert. What is
 * declared here is a part of LiteRT's headers (litert/c).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Handle;
typedef struct {
  int element_type;
  unsigned rank : 7, has_strides : 1;
  int32_t sizes[8];
  uint32_t strides[8];
} TensorType;
enum { READ = 0, WRITE = 1, CPU = 1 };

int LiteRtCreateEnvironment(int count, const void *options, Handle *environment);
int LiteRtCreateModelFromFile(Handle environment, const char *path, Handle *model);
int LiteRtCreateOptions(Handle *options);
int LiteRtSetOptionsHardwareAccelerators(Handle options, int accelerators);
int LiteRtCreateCompiledModel(Handle environment, Handle model, Handle options, Handle *compiled);
int LiteRtGetNumModelSignatures(Handle model, size_t *count);
int LiteRtGetModelSignature(Handle model, size_t index, Handle *signature);
int LiteRtGetSignatureKey(Handle signature, const char **key);
int LiteRtGetNumSignatureInputs(Handle signature, size_t *count);
int LiteRtGetNumSignatureOutputs(Handle signature, size_t *count);
int LiteRtGetSignatureInputName(Handle signature, size_t index, const char **name);
int LiteRtGetSignatureOutputName(Handle signature, size_t index, const char **name);
int LiteRtGetSignatureInputTensorByIndex(Handle signature, size_t index, Handle *tensor);
int LiteRtGetSignatureOutputTensorByIndex(Handle signature, size_t index, Handle *tensor);
int LiteRtGetRankedTensorType(Handle tensor, TensorType *type);
int LiteRtGetCompiledModelInputBufferRequirements(Handle compiled, size_t signature, size_t index,
                                                  Handle *requirements);
int LiteRtGetCompiledModelOutputBufferRequirements(Handle compiled, size_t signature, size_t index,
                                                   Handle *requirements);
int LiteRtCreateManagedTensorBufferFromRequirements(Handle environment, const TensorType *type,
                                                    Handle requirements, Handle *buffer);
void LiteRtDestroyTensorBuffer(Handle buffer);
int LiteRtLockTensorBuffer(Handle buffer, void **address, int mode);
int LiteRtUnlockTensorBuffer(Handle buffer);
int LiteRtRunCompiledModel(Handle compiled, size_t signature, size_t inputs, Handle *input_buffers,
                           size_t outputs, Handle *output_buffers);

static void check(int status, const char *what) {
  if (status == 0) return;
  fprintf(stderr, "%s failed with status %d\n", what, status);
  exit(1);
}
#define CHECK(call) check(call, #call)

typedef struct {
  const char *key;
  size_t index, inputs, outputs;
  Handle signature, *in, *out; /* the buffers of the tensors, in their order */
} Signature;

static Handle environment, model, compiled;

static Signature find(const char *key) {
  Signature found = {.key = key};
  size_t count;
  const char *name;
  CHECK(LiteRtGetNumModelSignatures(model, &count));
  for (; found.index < count; found.index++) {
    CHECK(LiteRtGetModelSignature(model, found.index, &found.signature));
    CHECK(LiteRtGetSignatureKey(found.signature, &name));
    if (strcmp(name, key) == 0) break;
  }
  if (found.index == count) {
    fprintf(stderr, "the file has no %s\n", key);
    exit(1);
  }
  CHECK(LiteRtGetNumSignatureInputs(found.signature, &found.inputs));
  CHECK(LiteRtGetNumSignatureOutputs(found.signature, &found.outputs));
  found.in = calloc(found.inputs, sizeof(Handle));
  found.out = calloc(found.outputs, sizeof(Handle));
  return found;
}

static void allocate(Signature *of, size_t place, int is_output, TensorType *type) {
  Handle tensor, requirements;
  CHECK((is_output ? LiteRtGetSignatureOutputTensorByIndex : LiteRtGetSignatureInputTensorByIndex)(
      of->signature, place, &tensor));
  CHECK(LiteRtGetRankedTensorType(tensor, type));
  CHECK((is_output ? LiteRtGetCompiledModelOutputBufferRequirements
                   : LiteRtGetCompiledModelInputBufferRequirements)(compiled, of->index, place,
                                                                    &requirements));
  CHECK(LiteRtCreateManagedTensorBufferFromRequirements(environment, type, requirements,
                                                        &(is_output ? of->out : of->in)[place]));
}

/* Inputs of a text: its bytes, cut or followed by 0, and their number. */
static void give(Signature *of, const char *text) {
  int32_t *values, length = (int32_t)strlen(text);
  const char *name;
  TensorType type;
  for (size_t i = 0; i < of->inputs; i++) {
    allocate(of, i, 0, &type);
    CHECK(LiteRtGetSignatureInputName(of->signature, i, &name));
    CHECK(LiteRtLockTensorBuffer(of->in[i], (void **)&values, WRITE));
    if (strcmp(name, "text_bytes") == 0)
      for (int32_t at = 0; at < type.sizes[1]; at++)
        values[at] = at < length ? (unsigned char)text[at] : 0;
    else
      values[0] = length;
    CHECK(LiteRtUnlockTensorBuffer(of->in[i]));
  }
}

static void call(Signature *of) {
  TensorType type;
  for (size_t i = 0; i < of->outputs; i++) allocate(of, i, 1, &type);
  CHECK(LiteRtRunCompiledModel(compiled, of->index, of->inputs, of->in, of->outputs, of->out));
}

/* Outputs of one call as the inputs of the same names of another, which loses its own. */
static void hand_on(Signature *from, Signature *to) {
  const char *output, *input;
  for (size_t i = 0; i < from->outputs; i++) {
    CHECK(LiteRtGetSignatureOutputName(from->signature, i, &output));
    for (size_t j = 0; j < to->inputs; j++) {
      CHECK(LiteRtGetSignatureInputName(to->signature, j, &input));
      if (strcmp(output, input) != 0) continue;
      if (to->in[j]) LiteRtDestroyTensorBuffer(to->in[j]);
      to->in[j] = from->out[i];
      from->out[i] = NULL;
    }
  }
}

/* Writes what follows the first `written` bytes of the text among the outputs, and frees these.
 * Returns the number of bytes written so far, and whether more tokens follow. */
static int32_t take(Signature *of, int32_t written, int *goes_on) {
  int32_t *values, *bytes = NULL, length = 0;
  const char *name;
  *goes_on = 0;
  for (size_t i = 0; i < of->outputs; i++) {
    if (!of->out[i]) continue;
    CHECK(LiteRtGetSignatureOutputName(of->signature, i, &name));
    CHECK(LiteRtLockTensorBuffer(of->out[i], (void **)&values, READ));
    if (strcmp(name, "text_bytes") == 0) bytes = values;
    if (strcmp(name, "text_lengths") == 0) length = values[0];
    if (strcmp(name, "ended") == 0) *goes_on = !values[0];
    if (strcmp(name, "truncated") == 0 && values[0]) fprintf(stderr, "the text was cut\n");
  }
  for (; bytes && written < length; written++) putchar(bytes[written]);
  fflush(stdout);
  for (size_t i = 0; i < of->outputs; i++) {
    if (!of->out[i]) continue;
    CHECK(LiteRtUnlockTensorBuffer(of->out[i]));
    LiteRtDestroyTensorBuffer(of->out[i]);
  }
  return written;
}

int main(int count, char **arguments) {
  int stream = count == 4 && strcmp(arguments[1], "--stream") == 0, goes_on;
  if (count != 3 + stream) return fprintf(stderr, "usage: text [--stream] FILE.tflite TEXT\n"), 2;
  Handle options;
  CHECK(LiteRtCreateEnvironment(0, NULL, &environment));
  CHECK(LiteRtCreateModelFromFile(environment, arguments[1 + stream], &model));
  CHECK(LiteRtCreateOptions(&options));
  CHECK(LiteRtSetOptionsHardwareAccelerators(options, CPU));
  CHECK(LiteRtCreateCompiledModel(environment, model, options, &compiled));

  Signature first = find(stream ? "stream_start" : "serving_default");
  give(&first, arguments[2 + stream]);
  call(&first);
  if (stream) {
    Signature step = find("stream_step");
    int32_t written = 0;
    hand_on(&first, &step);
    take(&first, 0, &goes_on);
    do {
      call(&step);
      hand_on(&step, &step);
      written = take(&step, written, &goes_on);
    } while (goes_on);
  } else {
    take(&first, 0, &goes_on);
  }
  putchar('\n');
  return 0;
}
