"""What a conversation about an instruction comes to: what has to be asked, confirmed, corrected, pointed at.

Pure decisions on plans and texts; the supervisor (`framework.supervisor`) carries
them out, and imports this, never the other way round.

| module | decides |
|---|---|
| `meta`, `meta_reading` | whether an utterance is a command to the supervisor itself, before any grammar |
| `language` | what a text means in the world of the moment, and a plan in words |
| `asked_by` | whose an action is that means whoever asks for it |
| `activity` | a plan as what is being done: "I am showing the scan" |
| `choices` | which readings are equally good, and the words that tell them apart |
| `answers` | which option an answer chooses |
| `confirmation` | what starts only after a "yes", and how that is asked |
| `pointing` | what "that" and "there" mean when somebody points |
| `correction` | what "no, the scan" makes of the last instruction |
| `follow_up` | what "undo that", "five more" and "the same to the left" make of it |
| `referring`, `referred` | the same word by word: "no, that's too far, bring it back up two" |
| `stopping` | what begins or ends like a stop, or asks for a while |
| `proposer` | (the seam to) who may propose a plan for what nobody understood |
"""
