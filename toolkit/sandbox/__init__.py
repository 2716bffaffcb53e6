"""The service, embedded: the same paths, rules and errors over real HTTP, with invented people behind them.

`toolkit.sandbox.serve.running` starts it, `toolkit.sandbox.world.World` is who lives in it.
"""
