import { type JsonSchema, valueSchemas } from '@svc/platform'

const { boolean, count, instant, list, members, oneOf, text } = valueSchemas

/** Factors in the record of an owner. */
export const TOTP: JsonSchema = members(
  { id: text, secret: text, lastStep: count, createdAt: instant },
  { lastUsed: instant },
)
/** Of the host. */
export const OWN_FACTOR: JsonSchema = members(
  { id: text, name: text, state: text, createdAt: instant },
  { lastUsed: instant },
)
export const RECOVERY: JsonSchema = members({ hashes: list(text), createdAt: instant })
export const PASSKEY: JsonSchema = members(
  {
    id: text,
    publicKey: text,
    counter: count,
    transports: list(text),
    label: text,
    createdAt: instant,
  },
  {
    lastUsed: instant,
    discoverable: boolean,
    verified: boolean,
    deviceType: oneOf('singleDevice', 'multiDevice'),
    backedUp: boolean,
    firstWay: boolean,
    stamp: text,
    aaguid: text,
    rpId: text,
    userHandle: text,
  },
)
