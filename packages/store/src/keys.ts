import { hash } from 'node:crypto'
import type { IndexKey, Key } from './store.ts'

const INSTANCE = /^[A-Za-z0-9_-]{1,64}$/
const KIND = /^[a-z][a-z0-9-]{0,31}$/

/**
 * The one place where keys are built: `{<instance>}:<kind>:<id>`. The braces are Redis Cluster's hash tag, so all
 * keys of one instance share a slot.
 * @param instance - an instance's immutable id, or the name of a shared shard; letters, digits, `-`, `_`
 * @param kind - what the record is; lower-case letters, digits, `-`
 * @param id - 1 to 512 printable characters; secrets go through {@link secretKey} instead
 * @throws TypeError when a part is malformed
 */
export function recordKey(instance: string, kind: string, id: string): Key {
  checkTag(instance, kind)
  // Control characters would make keys that no log or tool can show.
  // oxlint-disable-next-line no-control-regex
  if (id.length < 1 || id.length > 512 || !id.isWellFormed() || /[\u0000-\u001f\u007f]/.test(id)) {
    throw new TypeError('a record id has 1 to 512 printable characters')
  }
  return `{${instance}}:${kind}:${id}` as Key
}

/** A record keyed by a secret (a code, a token): only its SHA-256 enters the key. */
export function secretKey(instance: string, kind: string, secret: string): Key {
  return recordKey(instance, kind, hash('sha256', secret, 'base64url'))
}

/** An index of an instance's records: `{<instance>}:index:<name>`. */
export function indexKey(instance: string, name: string): IndexKey {
  checkTag(instance, 'index')
  // oxlint-disable-next-line no-control-regex
  if (
    name.length < 1 ||
    name.length > 256 ||
    !name.isWellFormed() ||
    /[\u0000-\u001f]/.test(name)
  ) {
    throw new TypeError('an index name has 1 to 256 printable characters')
  }
  return `{${instance}}:index:${name}` as IndexKey
}

function checkTag(instance: string, kind: string): void {
  if (!INSTANCE.test(instance))
    throw new TypeError(`malformed instance id ${JSON.stringify(instance)}`)
  if (!KIND.test(kind)) throw new TypeError(`malformed record kind ${JSON.stringify(kind)}`)
}
