"""Believing one certificate and no other: how programs reach their own installation over https.

Standard library only: the command line starts with it.
"""

from __future__ import annotations

import ssl


def trusting(certificate: str) -> ssl.SSLContext:
    """For a client that believes the certificate in this PEM file alone, for the names that stand in it.

    Raises OSError (SSLError among it) if it cannot be read.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_flags |= (
        ssl.VerifyFlags.VERIFY_X509_PARTIAL_CHAIN
    )  # it is signed by itself, and no authority
    context.load_verify_locations(certificate)
    return context
