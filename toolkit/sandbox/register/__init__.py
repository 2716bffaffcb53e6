"""The public plan register: an invented market of energy plans behind the open plan interface."""
