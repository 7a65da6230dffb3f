"""Why a record or a device is refused: one class a reason, messages that say what to do."""


class RecordRefused(Exception):
    """A record that must not be committed; the subclass is the reason."""


class Malformed(RecordRefused):
    """The bytes are no record of this protocol; look for a damaged line, store or file."""


class NotCanonical(Malformed):
    """CBOR that says the same in other bytes than the deterministic form (RFC 8949 4.2.1)."""


class WrongAlgorithm(Malformed):
    """The protected header names another algorithm than EdDSA."""


class WrongVersion(Malformed):
    """The record is of another protocol version; use host tools as new as the firmware."""


class UnknownKind(Malformed):
    """The record's kind has no number in the definitions."""


class MissingField(Malformed):
    """A field that the kind requires is not there."""


class UnknownField(Malformed):
    """A field that the kind does not have."""


class WrongField(Malformed):
    """A field whose value its type does not allow."""


class UnknownDevice(RecordRefused):
    """No registered device has this id; provision the device first."""


class UnknownKey(RecordRefused):
    """The record names another key than the device registered; re-provision it, or find out who signs."""


class BadSignature(RecordRefused):
    """The signature does not fit: the record was altered, or not made with the device's key."""


class KeyChangeRefused(RecordRefused):
    """Keys do not change inside a chain; provision the device anew, as another device."""


class ChainBroken(RecordRefused):
    """A genuine record that does not follow the committed head."""


class Gap(ChainBroken):
    """Records between the head and this one are missing; ask the device for them."""


class Replay(ChainBroken):
    """This very record is committed already; acknowledge the head again."""


class Superseded(ChainBroken):
    """Older than the head, and the committed bytes of its sequence are not known here; compare them."""


class Equivocation(ChainBroken):
    """The device signed two different records with one sequence number; take it out of service."""


class Fork(ChainBroken):
    """The record follows another than the head; take the device out of service and compare journals."""


class BootWentBack(ChainBroken):
    """The boot counter fell; the device's store was replaced or restored."""


class BootUnannounced(ChainBroken):
    """The boot counter rose in another record than a boot record."""


class BootRepeated(ChainBroken):
    """A boot record that does not raise the boot counter."""


class Mislabelled(RecordRefused):
    """A genuine record in a frame, or a line of a bundle, that names another device or sequence."""


class BundleUnreadable(Exception):
    """A bundle, or a line of it, that is none; export it again."""


class RegistryError(Exception):
    """A device that cannot be registered, or a registry that cannot be used."""


class KeyRefused(RegistryError):
    """A public key with which a signature proves nothing, or that is none."""


class ProofRefused(RegistryError):
    """The proof of possession does not verify: whoever registers the device does not hold its key."""


class DeviceKnown(RegistryError):
    """The device id or the key is registered already."""


class RegistryDamaged(RegistryError):
    """The registry file cannot be read; restore it from a backup."""
