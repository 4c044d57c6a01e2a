"""What `benchmarks.report` writes around its figures."""

TRAIN_STEP = """# Speed and memory of a training step

{where}, float32; B = 32, w = 4, l = 2, vocabulary 16.
A step is forward, loss, backward, clipping and Adam. Medians, each contender in a
process of its own, in turns; *first* is the first step with all that comes before it.
*Ratio* is the contender's median over the package's. The share is of the speed of
matrix products, measured in the same run, by the FLOPs of the convolutions that are
needed (`benchmarks/formulas.py`); *alone* is the share that TensorFlow's convolutions
reach by themselves, on the same shapes, forward and backward.

| model | m, n | code | step | quartiles | first | memory | ratio | share | alone |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
DIAGONAL = """# Training step of the diagonal Neural GPU

{where}, float32. The setting of its authors: w = 1, l = 1,
dropout {dropout}, vocabulary {vocab}, in every step {batch} sequences of each of the
lengths {lengths}. Columns as above.

| m | step | quartiles | first | memory | share |
| --- | --- | --- | --- | --- | --- |
"""
RECURRENT = """# Training step of the recurrent models

{where}, float32, one core: seconds of the processor, which
other work on the machine changes less. B = 64, 256 units, embeddings of 256, one
layer, GRU, the encoder in both directions, vocabulary 8,000, every target as long as n;
*torch* is `benchmarks/textbook_torch_recurrent.py`, PyTorch {torch}. Contenders in
turns; *ratio* is the package's median over PyTorch's. One line is told by
`python -m benchmarks.train_step --model=MODEL --length=N --maps=256 --layers=1
--bidirectional=1 --vocab=8000 --batch=64 --cores=1 --peer=torch --torch_python=PYTHON
--rounds={rounds}`.

| model | n | code | step | quartiles | first | memory | ratio |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""
TOKENIZE = """# Spell-out tokenizer

{where}, one thread. Numbers and dates in English and French:
{sentences:,} sentences, {symbols:,} symbols, {spelled:.0%} of them letters, bytes and
spaces. *naive* is the same rule in plain Python (`benchmarks/naive_tokenizer.py`);
seconds are the processor's.

| | code | sentences a second | ratio of the time |
| --- | --- | --- | --- |
"""
INPUT_PIPELINE = """# Input pipeline

{where}. Training as of `configs/demo.flags`: of
{seconds:.0f} s of {steps} steps ({step_seconds:.3f} s each, the median)
{share_waited:.2%} was waiting for a batch, at most {longest_wait:.3f} s at once; less
than 2% is wanted. The pipeline alone makes {batches_per_second:,.0f} batches,
{pairs_per_second:,.0f} pairs or {symbols_per_second:,.0f} target symbols a second.
"""
SERVE = """# Serving

{where}. The export of a trained run ({about}) in a session; {sentences}
sentences of its validation data, alone and in batches of {batch}. *First answer*: since
the start of Python, to a warm-up request; *warmed up*: the next request's.

| threads | one, median | 95% within | in batches | first answer | warmed up | memory |
| --- | --- | --- | --- | --- | --- | --- |
"""
MEMORY = """# Memory of a training step

{where}. Peak memory of a process that makes steps of the
Extended Neural GPU, m = 64, w = 4, l = 2, n = 40, B = 32; with
`--gradient_checkpointing` a loop keeps some of the canvases and makes the others again.

| | step | quartiles | first | memory | as much time as without |
| --- | --- | --- | --- | --- | --- |
"""
STARTING = """# Starting

{where}. Seconds of the clock from the start of a command to its
end, medians of {rounds} runs in turns, after one that is not timed; and its parts:
Python and the flags, the import of TensorFlow (*TF*), our imports with the model and
its weights, the first answer, the end of the process. *Graphs* are those traced, a
loop's among them. `import tensorflow` is Python with nothing else.

| command | in all | quartiles | before | TF | model | answer | end | graphs | memory |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
FRONTIER = """# A frontier against what users would take instead

{where}. Multi30k, English to French: the pretrained
`enfr` (GRU with attention) as a SavedModel in a session, in ONNX Runtime and in LiteRT,
and a textbook Transformer of about as many weights, of the same pairs and symbols, in
CTranslate2. BLEU of all 1,000 sentences of test_2016_flickr, times of the first
{sentences}, each sentence's median of three rounds, in turns.

"""
