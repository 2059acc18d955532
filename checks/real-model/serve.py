"""Serves a GGUF model over OpenAI chat completions on loopback: llama.cpp, as the package xllamacpp carries it.

usage: serve.py MODEL.gguf PORT [TEMPLATE.jinja]    prints `ready` once it listens; ends with its standard input.
"""
import sys

import xllamacpp

model, port, *template = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.n_ctx = 8192
params.n_parallel = 2
params.use_jinja = True
# More threads spin against each other on a small, busy machine.
params.cpuparams.n_threads = 1
if template:
    with open(template[0]) as text:
        params.chat_template = text.read()
server = xllamacpp.Server(params)
print("ready", server.listening_address, flush=True)
sys.stdin.read()
