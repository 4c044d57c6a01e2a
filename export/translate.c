/* Translates its arguments through an export, by the C API of TensorFlow alone.

   To compile it against the wheel of TensorFlow, which has the headers and libraries:

   TF=$(python -c 'import tensorflow, os; print(os.path.dirname(tensorflow.__file__))')
   gcc -O2 -Wall -Wextra -std=c11 export/translate.c -o translate -I"$TF/include" \
     -L"$TF" -l:libtensorflow_cc.so.2 -l:libtensorflow_framework.so.2 -Wl,-rpath,"$TF"

   TF_CPP_MIN_LOG_LEVEL=3 ./translate RUN/export/1 "May 5, 2031" "June 6"

   It prints one line an argument, as `neural-gpu-translate --export_dir=RUN/export/1`
   does one a line; what is too long for the model is cut, without a warning.

   An export is a SavedModel whose signature serving_default takes a string tensor
   [batch] as "text" and gives one as "text"; the names of the graph's tensors for both
   are read from its MetaGraphDef. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/tf_tstring.h"

static void fail(const char *where, const char *what) {
  fprintf(stderr, "%s: %s\n", where, what);
  exit(1);
}

static void check(const char *where, const TF_Status *status) {
  if (TF_GetCode(status) != TF_OK) fail(where, TF_Message(status));
}

/* ---- The wire format of protocol buffers: a message is field after field ---- */

typedef struct {
  const uint8_t *at, *end;
} Message;

/* Reads a number of 7 bits a byte, lowest first; true if it is whole. */
static bool read_varint(Message *message, uint64_t *value) {
  *value = 0;
  for (int shift = 0; shift < 64 && message->at < message->end; shift += 7) {
    const uint8_t byte = *message->at++;
    *value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

/* Reads one field; `content` is what it holds if it has a length, else empty. False at
   the end of the message, or if it is damaged. */
static bool read_field(Message *message, uint64_t *number, Message *content) {
  uint64_t tag, size;
  if (!read_varint(message, &tag)) return false;
  *number = tag >> 3;
  switch (tag & 7) {
    case 0:
      if (!read_varint(message, &size)) return false;
      size = 0;
      break;
    case 1:
      size = 8;
      break;
    case 2:
      if (!read_varint(message, &size)) return false;
      break;
    case 5:
      size = 4;
      break;
    default:
      return false;
  }
  if (size > (uint64_t)(message->end - message->at)) return false;
  *content = (Message){message->at, message->at + size};
  message->at += size;
  return true;
}

/* Finds the first field with this number. */
static bool find_field(Message message, uint64_t wanted, Message *content) {
  uint64_t number;
  while (read_field(&message, &number, content))
    if (number == wanted) return true;
  return false;
}

/* Finds the value of `key` in a map: field `wanted`, of entries {1: key, 2: value}. */
static bool find_in_map(Message message, uint64_t wanted, const char *key,
                        Message *value) {
  uint64_t number;
  Message entry, name;
  while (read_field(&message, &number, &entry)) {
    if (number != wanted || !find_field(entry, 1, &name)) continue;
    const size_t size = (size_t)(name.end - name.at);
    if (size == strlen(key) && !memcmp(name.at, key, size))
      return find_field(entry, 2, value);
  }
  return false;
}

/* ---- The signature: field numbers as in TensorFlow's meta_graph.proto ---- */

enum {
  SIGNATURE_DEF = 5, /* of MetaGraphDef: map<string, SignatureDef> */
  INPUTS = 1,        /* of SignatureDef: map<string, TensorInfo> */
  OUTPUTS = 2,
  NAME = 1 /* of TensorInfo: "operation:index" */
};

/* The tensor that a signature calls `key`. */
static TF_Output find_tensor(const char *where, TF_Graph *graph, Message signature,
                             uint64_t side, const char *key) {
  Message info, name;
  if (!find_in_map(signature, side, key, &info) || !find_field(info, NAME, &name))
    fail(where, "serving_default has no \"text\"; is it a translator's export?");
  char text[256];
  const size_t size = (size_t)(name.end - name.at);
  if (size >= sizeof text) fail(where, "the name of a tensor is too long");
  memcpy(text, name.at, size);
  text[size] = '\0';
  char *colon = strrchr(text, ':');
  if (colon) *colon = '\0';
  TF_Operation *operation = TF_GraphOperationByName(graph, text);
  if (!operation) fail(where, "its signature names an operation that is not there");
  return (TF_Output){operation, colon ? atoi(colon + 1) : 0};
}

/* ---- Strings in tensors ---- */

/* A string tensor [count]. */
static TF_Tensor *string_tensor(char **texts, int count) {
  const int64_t shape[] = {count};
  TF_Tensor *tensor =
      TF_AllocateTensor(TF_STRING, shape, 1, (size_t)count * sizeof(TF_TString));
  TF_TString *strings = TF_TensorData(tensor);
  for (int i = 0; i < count; i++) {
    TF_StringInit(&strings[i]);
    TF_StringCopy(&strings[i], texts[i], strlen(texts[i]));
  }
  return tensor;
}

static void print_lines(const TF_Tensor *tensor) {
  const TF_TString *strings = TF_TensorData(tensor);
  const int64_t count = TF_TensorElementCount(tensor);
  for (int64_t i = 0; i < count; i++) {
    fwrite(TF_StringGetDataPointer(&strings[i]), 1, TF_StringGetSize(&strings[i]),
           stdout);
    putchar('\n');
  }
}

/* A string tensor holds strings of its own, which must be let go one by one. */
static void delete_strings(TF_Tensor *tensor) {
  TF_TString *strings = TF_TensorData(tensor);
  const int64_t count = TF_TensorElementCount(tensor);
  for (int64_t i = 0; i < count; i++) TF_StringDealloc(&strings[i]);
  TF_DeleteTensor(tensor);
}

/* ---- Translation ---- */

static void translate(const char *where, char **texts, int count) {
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Graph *graph = TF_NewGraph();
  TF_Buffer *meta_graph = TF_NewBuffer();
  const char *tags[] = {"serve"};
  TF_Session *session = TF_LoadSessionFromSavedModel(options, NULL, where, tags, 1,
                                                     graph, meta_graph, status);
  check(where, status);

  const uint8_t *data = meta_graph->data;
  Message signature, meta = {data, data + meta_graph->length};
  if (!find_in_map(meta, SIGNATURE_DEF, "serving_default", &signature))
    fail(where, "no signature serving_default; is it an export?");
  const TF_Output input = find_tensor(where, graph, signature, INPUTS, "text");
  const TF_Output output = find_tensor(where, graph, signature, OUTPUTS, "text");

  TF_Tensor *given = string_tensor(texts, count);
  TF_Tensor *answer = NULL;
  TF_SessionRun(session, NULL, &input, &given, 1, &output, &answer, 1, NULL, 0, NULL,
                status);
  check(where, status);
  if (TF_TensorType(answer) != TF_STRING || TF_TensorElementCount(answer) != count)
    fail(where, "serving_default does not give one text a text");
  print_lines(answer);

  delete_strings(answer);
  delete_strings(given);
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteBuffer(meta_graph);
  TF_DeleteGraph(graph);
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
}

int main(int count, char **arguments) {
  if (count < 3)
    fail("usage", "translate VERSION_DIR TEXT..., e.g. translate RUN/export/1 May");
  translate(arguments[1], arguments + 2, count - 2);
  if (fflush(stdout)) fail("standard output", "can't write to it");
  return 0;
}
