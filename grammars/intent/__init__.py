"""What a text probably means that the grammar does not read: intent classification and slot filling.

```
text ─▶ mentions ─▶ features ─▶ classifier ─▶ patterns ─▶ plan ─▶ in words, read back ─▶ offered
        names,      n-grams     intent        slots       in which every mention takes part
        numbers …
```

mentions.py    what a text names: known things, quantities, sides, manners; and its words without them
features.py    those words as n-grams
classifier.py  which intent a text has, by what people said before and meant by it
patterns.py    intents, and how their slots are filled
model.py       all that was learnt, in one file
guessing.py    from a text to a plan, also of several steps

What is guessed is offered, never done unasked. What people said and meant stands beside the actions
(`heard.jsonl`); `python -m pilothouse.experiments.language.learn` learns from it.
"""
