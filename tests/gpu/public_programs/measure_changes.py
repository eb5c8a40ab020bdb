"""The changes that measure.py switches on and off, and what it knows of single programs."""

AS_WRITTEN, CONTROL, TF32, HALF, PADDED = "as written", "as written, again", "TF32 for matrices", "autocast float16", "padded"
NETWORK, BACKWARD, STEP, CUDNN, LAYERS = "graph of network", "graph to backward", "graph of step", "cuDNN on", "half layers"
READY, ON_GPU = "batches ready", "batches on the GPU"
SEQUENCE, PRODUCT, MODULE, DRAWN = "whole sequence", "attention as one product", "one call of the module", "model drawn once"
OUTSIDE, UNROLLED = "product out of the loop", "loop unrolled"

# Units, inputs, sequences: a size is rounded up to a multiple, and to at least as much.
HALF_SIZES = {"awd_lstm_lm": ((512, 128), (1, 128), 24), "speaker_verification": ((1, 1), (128, 1), 24), "vae_lagging_encoder": ((1, 1), (1, 1), 16),
              "world_models_mdrnn": ((1, 1), (128, 1), 0), "zaremba": ((1, 512), (1, 1), 0), "sha_rnn": ((1, 1), (1, 1), 0),
              "voicefilter": ((512, 1), (1, 512), 0), "tacotron2_amp": ((1, 1), (1, 1), 0)}
SEPARATE_LAYERS = ("speaker_verification", "voicefilter")
SEPARATE_DIRECTIONS = ("voicefilter",)
ALREADY_HALF = ("crnn_autocast", "gnmt_fp16", "sha_rnn", "tacotron2_amp", "flowtron_amp", "universal_vocoding_amp")
BACKWARDS = {"text_autoencoders": 2}  # backward passes of a step
# A block has a multiple of so many backward passes: what lies between two rollouts, or between two evaluations.
WHOLE = {"ppo_atari_lstm": 16, "compile": 5, **BACKWARDS}
# Methods that the program calls in place of the module.
ENTRIES = {"compile": {"CompILE": "forward"}, "performance_rnn": {"PerformanceRNN": "generate"}}
MOST_GRAPHS = {"quaternet": 80}  # shapes; 24 elsewhere
# Batches that the loader's workers have ready, at most: they are used up before a block is timed that follows one with batches ready.
AHEAD = {"world_models_mdrnn": 16}
BY_HAND = {"narm": (READY, ON_GPU), "world_models_mdrnn": (READY, ON_GPU), "open_unmix": (READY, ON_GPU), "deeplog": (READY, DRAWN), "drqa": (READY,),
           "compile": (READY,), "chatbot": (SEQUENCE, PRODUCT), "stgat": (MODULE,),
           # The third set: every program that has batches prepared, chosen before any of them was recorded.
           **dict.fromkeys(("segrnn", "stanza_pos", "makemore_gru", "uis_rnn", "flowtron_amp", "end_to_end_asr", "ddsp", "onsets_and_frames",
                            "universal_vocoding_amp", "code_search"), (READY,))}
