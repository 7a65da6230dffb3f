"""The outbox: notices of the ledger, sent on to displays after the transactions that they tell of."""

from host_tools.outbox.mqtt import FanOut, MqttSettings

__all__ = ["FanOut", "MqttSettings"]
