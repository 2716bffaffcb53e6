"""Published plans: fetch, store, choose, show as a rate card."""
