# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A tiny language model with random weights, its tokenizer, and text, all made here."""

from datasets import Dataset
from outcome import LENGTH, VOCABULARY, WIDTH
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed


def language_model() -> LlamaForCausalLM:
    """Returns two decoder layers, the same on each rank."""
    set_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=VOCABULARY,
            hidden_size=WIDTH,
            intermediate_size=2 * WIDTH,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            bos_token_id=0,
            eos_token_id=1,
            pad_token_id=2,
        )
    )


def tokenizer() -> PreTrainedTokenizerFast:
    """Returns a tokenizer of the words w0, w1, and so on."""
    words = ["<s>", "</s>", "<pad>", "<unk>"] + [f"w{i}" for i in range(VOCABULARY - 4)]
    words_to_ids = {word: number for number, word in enumerate(words)}
    splitter = Tokenizer(models.WordLevel(words_to_ids, unk_token="<unk>"))
    splitter.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=splitter, bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>"
    )


def sentence(start: int, words: int = LENGTH // 2) -> str:
    """Returns words that count up from a number."""
    return " ".join(f"w{(start + i) % (VOCABULARY - 4)}" for i in range(words))


def token_samples(count: int) -> Dataset:
    """Returns token ids and their labels, the same on each rank."""
    rows = [[4 + (start + i) % (VOCABULARY - 4) for i in range(LENGTH)] for start in range(count)]
    return Dataset.from_dict({"input_ids": rows, "labels": rows})


def logged_losses(trainer: object) -> list[float]:
    """Returns the losses that a Trainer logged."""
    return [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
