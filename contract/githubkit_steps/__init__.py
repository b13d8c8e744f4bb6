"""The steps of githubkit_flow.py, by what they are about."""
