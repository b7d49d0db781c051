"""Requests, handles and clients exchanged by actions, managers and drivers; nothing here imports a driver."""
