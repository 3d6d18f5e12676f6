/* Text in, text out of a LiteRT file with text="bytes" and one shape, with LiteRT's C library alone.
 *
 *     cc text.c -L DIR -l LiteRt -Wl,-rpath,DIR -o text
 *     ./text en-de.tflite "a man in a red hat"
 *
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
enum { READ = 0, WRITE = 1, CPU = 1, MOST = 8 };

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

int main(int count, char **arguments) {
  if (count != 3) return fprintf(stderr, "usage: text FILE.tflite TEXT\n"), 2;
  Handle environment, model, options, compiled, signature = NULL;
  CHECK(LiteRtCreateEnvironment(0, NULL, &environment));
  CHECK(LiteRtCreateModelFromFile(environment, arguments[1], &model));
  CHECK(LiteRtCreateOptions(&options));
  CHECK(LiteRtSetOptionsHardwareAccelerators(options, CPU));
  CHECK(LiteRtCreateCompiledModel(environment, model, options, &compiled));

  size_t signatures, index, inputs, outputs;
  const char *name = "";
  CHECK(LiteRtGetNumModelSignatures(model, &signatures));
  for (index = 0; index < signatures; index++) {
    CHECK(LiteRtGetModelSignature(model, index, &signature));
    CHECK(LiteRtGetSignatureKey(signature, &name));
    if (strcmp(name, "serving_default") == 0) break;
  }
  if (index == signatures) return fprintf(stderr, "there is no serving_default\n"), 1;
  CHECK(LiteRtGetNumSignatureInputs(signature, &inputs));
  CHECK(LiteRtGetNumSignatureOutputs(signature, &outputs));
  if (inputs > MOST || outputs > MOST) return fprintf(stderr, "too many tensors\n"), 1;

  Handle in[MOST], out[MOST], tensor, requirements;
  TensorType type;
  int32_t *values, length = (int32_t)strlen(arguments[2]);
  for (size_t i = 0; i < inputs; i++) {
    CHECK(LiteRtGetSignatureInputName(signature, i, &name));
    CHECK(LiteRtGetSignatureInputTensorByIndex(signature, i, &tensor));
    CHECK(LiteRtGetRankedTensorType(tensor, &type));
    CHECK(LiteRtGetCompiledModelInputBufferRequirements(compiled, index, i, &requirements));
    CHECK(LiteRtCreateManagedTensorBufferFromRequirements(environment, &type, requirements, &in[i]));
    CHECK(LiteRtLockTensorBuffer(in[i], (void **)&values, WRITE));
    if (strcmp(name, "text_bytes") == 0)
      for (int32_t at = 0; at < type.sizes[1]; at++)
        values[at] = at < length ? (unsigned char)arguments[2][at] : 0;
    else
      values[0] = length;
    CHECK(LiteRtUnlockTensorBuffer(in[i]));
  }
  for (size_t i = 0; i < outputs; i++) {
    CHECK(LiteRtGetSignatureOutputTensorByIndex(signature, i, &tensor));
    CHECK(LiteRtGetRankedTensorType(tensor, &type));
    CHECK(LiteRtGetCompiledModelOutputBufferRequirements(compiled, index, i, &requirements));
    CHECK(LiteRtCreateManagedTensorBufferFromRequirements(environment, &type, requirements, &out[i]));
  }
  CHECK(LiteRtRunCompiledModel(compiled, index, inputs, in, outputs, out));

  int32_t *written = NULL;
  length = 0;
  for (size_t i = 0; i < outputs; i++) {
    CHECK(LiteRtGetSignatureOutputName(signature, i, &name));
    CHECK(LiteRtLockTensorBuffer(out[i], (void **)&values, READ));
    if (strcmp(name, "text_bytes") == 0) written = values;
    if (strcmp(name, "text_lengths") == 0) length = values[0];
    if (strcmp(name, "truncated") == 0 && values[0]) fprintf(stderr, "the text was cut\n");
  }
  for (int32_t at = 0; written && at < length; at++) putchar(written[at]);
  putchar('\n');
  return 0;
}
