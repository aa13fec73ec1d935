import { newState } from './_kit/confirmation.js'

/**
 * Titles lie apart from what the notes say: the first are there for the asking, the other the server gives only right
 * after the owner confirmed.
 *
 * @typedef {{ id: string, title: string, at: string }} Note
 * @typedef {{ confirmation_code: string, confirmation_state: string }} Proof
 * @typedef {{ _id: string, title?: unknown, text?: unknown, at?: unknown }} Stored
 */

/**
 * @param {ReturnType<typeof import('./_kit/api.js').createApi>} api
 * @param {string} namespace
 */
export function createNotes(api, namespace) {
  const titles = `/data/${namespace}.safe.notes`
  const secrets = `/data/${namespace}.safe.secrets`
  /** @param {string} id */
  const one = (id) => `/${encodeURIComponent(id)}`
  /** @param {Proof} proof */
  const asQuery = (proof) => `?${new URLSearchParams(proof)}`

  /** @param {string} path @returns {Promise<readonly Stored[]>} */
  const readAll = async (path) => {
    /** @type {Stored[]} */
    const found = []
    let next = path
    do {
      const answer = await api.call('GET', next)
      const { documents, cursor } = /** @type {{ documents: Stored[], cursor?: string }} */ (answer)
      found.push(...documents)
      const joined = path.includes('?') ? '&' : '?'
      next = cursor === undefined ? '' : `${path}${joined}cursor=${encodeURIComponent(cursor)}`
    } while (next !== '')
    return found
  }

  return {
    /** Doctype of the titles. */
    type: `${namespace}.safe.notes`,
    /** @returns {Promise<Note[]>} newest first */
    async list() {
      const stored = await readAll(titles)
      return stored
        .map(({ _id: id, title, at }) => ({ id, title: String(title ?? ''), at: String(at ?? '') }))
        .sort((a, b) => b.at.localeCompare(a.at))
    },
    /** What the notes say, by id.  @param {Proof} proof */
    async reveal(proof) {
      const stored = await readAll(secrets + asQuery(proof))
      return new Map(stored.map(({ _id: id, text }) => [id, String(text ?? '')]))
    },
    /** @param {string} title @param {string} text */
    async add(title, text) {
      const id = newState()
      // The title comes last: whoever hears of a note finds it whole.
      await api.call('PUT', secrets + one(id), { text })
      await api.call('PUT', titles + one(id), { title, at: new Date().toISOString() })
    },
    /** @param {string} id @param {Proof} proof */
    async remove(id, proof) {
      await api.remove(secrets + one(id) + asQuery(proof))
      await api.remove(titles + one(id))
    },
  }
}
