"""Runs over time in one picture: sessions, queues, the air, congestion windows."""
