import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { text } from 'node:stream/consumers'

/**
 * A connector knows nothing of OAuth: somebody gives it an access token, and it fetches. The server gives it on standard
 * input; while it is being developed, a file with the same content does:
 * `node index.js konnector-dev-config.json`. See docs/connectors.md.
 *
 * @typedef {{ id: string, title: string, taken_at: string }} Photo
 * @typedef {{ access_token: string, oauth_callback_results: { api_url: string } }} Fields
 */

const file = process.argv[2]
/** @type {{ fields: Fields }} */
const { fields } = JSON.parse(await (file ? readFile(file, 'utf8') : text(process.stdin)))
// This provider says with its tokens where its photos are.
const { access_token: token, oauth_callback_results: about } = fields

const response = await fetch(new URL('/photos', about.api_url), {
  headers: { authorization: `Bearer ${token}` },
})
if (response.status === 401) {
  // What ran this asks for another token then, or learns that there is none.
  process.stderr.write('The provider refuses the token.\n')
  process.exit(2)
}
if (!response.ok) {
  process.stderr.write(`The provider answered ${response.status}.\n`)
  process.exit(1)
}
/** @type {{ photos: readonly Photo[] }} */
const { photos } = await response.json()
for (const { id, title, taken_at: takenAt } of photos) {
  process.stdout.write(`${takenAt}  ${id}  ${title}\n`)
}
