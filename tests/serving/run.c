/* Runs a SavedModel with TensorFlow's C library: no Python, as in TensorFlow Serving.
 *
 *     run SAVED_MODEL [LIBRARY ...]
 *
 * LIBRARY is a file with further operators. Standard input has one call after the other: the number
 * of inputs, each as "operation index tensor", then that of outputs, each as "operation index". The
 * outputs go to standard output, a tensor a line. A tensor is "dtype rank sizes values", with
 * TensorFlow's number of the dtype, and texts as "x" and their bytes in hexadecimal digits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"

enum { MOST = 64, LONGEST = 1 << 20 };

static void check(TF_Status *status, const char *what) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "%s: %s\n", what, TF_Message(status));
  exit(1);
}

static void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static int64_t number(void) {
  int64_t found;
  if (scanf("%" SCNd64, &found) != 1) fail("a number is missing");
  return found;
}

static TF_Output output(TF_Graph *graph) {
  static char name[LONGEST];
  if (scanf("%1048575s", name) != 1) fail("a name is missing");
  TF_Output found = {TF_GraphOperationByName(graph, name), (int)number()};
  if (!found.oper) fail(name);
  return found;
}

static void read_text(TF_TString *text) {
  static char digits[LONGEST], bytes[LONGEST / 2];
  if (scanf("%1048575s", digits) != 1 || digits[0] != 'x') fail("a text is missing");
  size_t size = (strlen(digits) - 1) / 2;
  for (size_t i = 0; i < size; i++) {
    unsigned byte;
    sscanf(digits + 1 + 2 * i, "%2x", &byte);
    bytes[i] = (char)byte;
  }
  TF_StringInit(text);
  TF_StringCopy(text, bytes, size);
}

static TF_Tensor *read_tensor(void) {
  TF_DataType type = (TF_DataType)number();
  int rank = (int)number();
  int64_t sizes[8], count = 1;
  if (rank > 8) fail("the rank is too large");
  for (int i = 0; i < rank; i++) count *= sizes[i] = number();
  size_t size = type == TF_STRING ? sizeof(TF_TString) : TF_DataTypeSize(type);
  TF_Tensor *tensor = TF_AllocateTensor(type, sizes, rank, count * size);
  void *data = TF_TensorData(tensor);
  for (int64_t i = 0; i < count; i++) {
    if (type == TF_STRING) read_text((TF_TString *)data + i);
    else if (type == TF_FLOAT) {
      if (scanf("%f", (float *)data + i) != 1) fail("a number is missing");
    } else if (type == TF_INT32) ((int32_t *)data)[i] = (int32_t)number();
    else if (type == TF_INT64) ((int64_t *)data)[i] = number();
    else if (type == TF_BOOL) ((unsigned char *)data)[i] = number() != 0;
    else fail("there is no such dtype here");
  }
  return tensor;
}

static void write_tensor(const TF_Tensor *tensor) {
  TF_DataType type = TF_TensorType(tensor);
  printf("%d %d", type, TF_NumDims(tensor));
  for (int i = 0; i < TF_NumDims(tensor); i++) printf(" %" PRId64, TF_Dim(tensor, i));
  void *data = TF_TensorData(tensor);
  for (int64_t i = 0; i < TF_TensorElementCount(tensor); i++) {
    if (type == TF_STRING) {
      const TF_TString *text = (TF_TString *)data + i;
      const char *bytes = TF_StringGetDataPointer(text);
      printf(" x");
      for (size_t at = 0; at < TF_StringGetSize(text); at++) printf("%02x", (unsigned char)bytes[at]);
    } else if (type == TF_FLOAT) printf(" %.9g", ((float *)data)[i]);
    else if (type == TF_INT32) printf(" %" PRId32, ((int32_t *)data)[i]);
    else if (type == TF_INT64) printf(" %" PRId64, ((int64_t *)data)[i]);
    else if (type == TF_BOOL) printf(" %d", ((unsigned char *)data)[i]);
    else fail("there is no such dtype here");
  }
  printf("\n");
}

int main(int count, char **arguments) {
  if (count < 2) return fprintf(stderr, "usage: run SAVED_MODEL [LIBRARY ...]\n"), 2;
  TF_Status *status = TF_NewStatus();
  for (int i = 2; i < count; i++) {
    TF_LoadLibrary(arguments[i], status);
    check(status, arguments[i]);
  }
  TF_Graph *graph = TF_NewGraph();
  TF_SessionOptions *options = TF_NewSessionOptions();
  const char *tags[] = {"serve"};
  TF_Session *session =
      TF_LoadSessionFromSavedModel(options, NULL, arguments[1], tags, 1, graph, NULL, status);
  check(status, "TF_LoadSessionFromSavedModel");

  int inputs, outputs;
  while (scanf("%d", &inputs) == 1) {
    TF_Output in[MOST], out[MOST];
    TF_Tensor *given[MOST], *found[MOST];
    if (inputs > MOST) fail("too many inputs");
    for (int i = 0; i < inputs; i++) in[i] = output(graph), given[i] = read_tensor();
    outputs = (int)number();
    if (outputs > MOST) fail("too many outputs");
    for (int i = 0; i < outputs; i++) out[i] = output(graph);
    TF_SessionRun(session, NULL, in, given, inputs, out, found, outputs, NULL, 0, NULL, status);
    check(status, "TF_SessionRun");
    for (int i = 0; i < outputs; i++) write_tensor(found[i]), TF_DeleteTensor(found[i]);
    for (int i = 0; i < inputs; i++) TF_DeleteTensor(given[i]);
  }
  TF_CloseSession(session, status);
  check(status, "TF_CloseSession");
  TF_DeleteSession(session, status);
  return 0;
}
