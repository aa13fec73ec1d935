import { hash } from 'node:crypto'

/** The identifier of a push to one client: the same at every attempt. UUID version 8. @see notifications.md 16.5 */
export function pushIdOf(notificationId: string, clientId: string): string {
  const bytes = hash('sha256', `${notificationId}:${clientId}`, 'buffer').subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  const cuts = [0, 8, 12, 16, 20, 32]
  return cuts
    .slice(1)
    .map((end, place) => hex.slice(cuts[place], end))
    .join('-')
}

/** What stands for a device token in stored records: 128 bits of its SHA-256. */
export function tokenDigest(token: string): string {
  return hash('sha256', token, 'buffer').toString('base64url', 0, 16)
}
