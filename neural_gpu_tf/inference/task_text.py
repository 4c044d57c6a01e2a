"""Choice of the parser for each task's questions."""

from neural_gpu_tf.errors import InputError
from neural_gpu_tf.inference.list_text import (
    IncrementText,
    ListText,
    NtmCopyText,
    RepeatCopyText,
    SearchText,
)
from neural_gpu_tf.inference.number_text import NumberText
from neural_gpu_tf.inference.question_text import QuestionText
from neural_gpu_tf.inference.string_text import StringText
from neural_gpu_tf.tasks import (
    Increment,
    ListTask,
    NtmCopy,
    NumberTask,
    RepeatCopy,
    Search,
    StringTask,
    Task,
)

# The first that fits counts.
_TEXTS: dict[type, type[QuestionText]] = {
    NumberTask: NumberText,
    Increment: IncrementText,
    Search: SearchText,
    NtmCopy: NtmCopyText,
    RepeatCopy: RepeatCopyText,
    ListTask: ListText,
    StringTask: StringText,
}


def task_text(task: Task, most_columns: int) -> QuestionText:
    """The reader and writer of a task's texts, for a graph.

    Args:
        task: one of the package's kinds, or of a class derived from one, with the
            same way of writing questions.
        most_columns: columns of the widest canvas.

    Raises:
        InputError: it is of no such kind, or its shortest question has no room.
    """
    if most_columns < task.minimum_length:
        raise InputError(
            f"max_columns={most_columns}: the shortest question of {task.name} takes "
            f"{task.minimum_length}"
        )
    for kind, text in _TEXTS.items():
        if isinstance(task, kind):
            return text(task, most_columns)
    raise InputError(
        f"{task.name}: a task of class {type(task).__name__}, whose texts no graph can "
        "read; derive it from NumberTask, ListTask, StringTask or Increment to export"
    )
