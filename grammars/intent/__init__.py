"""What a text probably means that the grammar does not read: intent classification and slot filling.

```
text ─▶ mentions ─▶ pieces ─▶ encoder ─▶ patterns ─▶ plan ─▶ in words, read back ─▶ offered
        names,                intent     slots       in which every mention takes part
        numbers …
```

mentions.py  what a text names: known things, quantities, sides, manners; and its words without them
pieces.py    those words in pieces that are known
encoder.py   which intent a text has, by what people said before and meant by it
intents.py   what there is
patterns.py  how the slots of intents are filled
spans.py     where words to be handed on stand
model.py     all that was learnt, in one file
heard.py     what people said and meant, as it is learnt from
guessing.py  from a text to a plan, also of several steps

What is guessed is offered, never done unasked. What people said and meant stands beside the actions
(`heard.jsonl`); `python -m pilothouse.experiments.language.learn FOLDER` learns from it.
"""
