"""Packaging; `pip install -e .[dev]` for development."""

from pathlib import Path

from setuptools import find_namespace_packages, setup

HERE = Path(__file__).parent
VERSION = (HERE / "neural_gpu_tf" / "__init__.py").read_text("utf-8")
VERSION = VERSION.split('__version__ = "')[1].split('"')[0]

setup(
    name="neural-gpu-tf",
    version=VERSION,
    description="Active-memory sequence models (the Neural GPU family) in "
    "TensorFlow 2 and Keras 3",
    long_description=(HERE / "README.md").read_text("utf-8"),
    long_description_content_type="text/markdown",
    license_expression="Apache-2.0",
    license_files=["LICENSE"],
    packages=[
        *find_namespace_packages(
            include=["neural_gpu_tf", "neural_gpu_tf.*"], exclude=["*.__pycache__"]
        ),
        "neural_gpu_tf.configs",
    ],
    package_dir={"neural_gpu_tf.configs": "configs"},
    package_data={
        "": [
            "*.flags",
            "*.h5",
            "*.html",
            "*.js",
            "*.json",
            "*.md",
            "vocab.txt",
            "py.typed",
        ]
    },
    author="The neural_gpu_tf authors",
    project_urls={  # the papers; the project itself has no public address yet
        "Neural GPUs Learn Algorithms": "https://arxiv.org/abs/1511.08228",
        "Can Active Memory Replace Attention?": "https://arxiv.org/abs/1610.08613",
    },
    python_requires=">=3.11,<3.14",  # TensorFlow 2.21 has no wheel for later ones
    install_requires=[
        "absl-py",
        "Babel",
        "h5py",
        "importlib_resources",  # tensorflow-datasets needs it to download
        "Jinja2",
        "keras>=3.15,<4",
        "MarkupSafe",
        "matplotlib>=3.10",
        "num2words",
        "numpy",
        "Pillow",
        "sacrebleu>=2.4",
        "tensorboard>=2.20",
        "tensorflow>=2.21,<2.22",
        "tensorflow-datasets",
        "tensorflow-serving-api>=2.21,<2.22",  # warm-up requests
        "tensorflow-text>=2.21,<2.22",  # built for one TensorFlow only
        "tqdm",
    ],
    extras_require={
        "dev": [
            "ai-edge-litert",
            "hypothesis",
            "grafana-foundation-sdk",
            "ipykernel",
            "jax",
            "kubernetes-validate",
            "mypy>=1.18",
            "types-tqdm",
            "nbclient",
            "nbformat",
            "onnx",
            "onnxruntime",
            "prometheus_client",
            "promql-parser",
            "pytest>=8",
            "pytest-xdist",
            "PyYAML",
            "ruff>=0.9",
            "starlette",
            "tf2onnx",
            "uvicorn",
        ],
        "formats": ["ai-edge-litert", "onnx", "onnxruntime", "tf2onnx"],
        "beam": ["apache-beam>=2.77"],
        "serve": ["prometheus_client", "starlette", "uvicorn"],
        "docs": ["furo", "myst-parser>=5", "nbformat", "sphinx>=9"],
        "jax": ["jax"],
        "torch": ["torch>=2.13"],
        "fuzz": ["atheris"],  # tests/faults/guided.py
    },
    entry_points={
        "console_scripts": [
            "neural-gpu-build-vocab = neural_gpu_tf.bin.build_vocab:cli",
            "neural-gpu-beam = neural_gpu_tf.bin.beam:cli",
            "neural-gpu-train = neural_gpu_tf.bin.train:cli",
            "neural-gpu-evaluate = neural_gpu_tf.bin.evaluate:cli",
            "neural-gpu-report = neural_gpu_tf.bin.report:cli",
            "neural-gpu-translate = neural_gpu_tf.bin.translate:cli",
            "neural-gpu-export = neural_gpu_tf.bin.export:cli",
            "neural-gpu-serve = neural_gpu_tf.bin.serve:cli",
            "neural-gpu-solve = neural_gpu_tf.bin.solve:cli",
            "neural-gpu-play = neural_gpu_tf.bin.play:cli",
            "neural-gpu-score = neural_gpu_tf.bin.score:cli",
            "neural-gpu-fit-sizes = neural_gpu_tf.bin.fit_sizes:cli",
            "neural-gpu-tune-decoding = neural_gpu_tf.bin.tune_decoding:cli",
            "neural-gpu-average = neural_gpu_tf.bin.average:cli",
            "neural-gpu-trees = neural_gpu_tf.bin.trees:cli",
            "neural-gpu-parse = neural_gpu_tf.bin.parse:cli",
            "neural-gpu-evalb = neural_gpu_tf.bin.evalb:cli",
        ]
    },
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Science/Research",
        "Operating System :: MacOS",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Programming Language :: Python :: 3.13",
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Typing :: Typed",
    ],
)
