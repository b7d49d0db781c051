"""Dialogue beyond one question and its answer: its place, above the supervisor.

What is asked and answered today is the supervisor's (`framework.supervisor.questions`).
"""
