import { parseCategories } from '@svc/oauth-core'
import { expect } from 'chai'
import { applyPatch } from '../../../src/preferences/patch.ts'
import { MAX_CATEGORIES, NO_PREFERENCES } from '../../../src/preferences/preferences.ts'
import type { NotificationSource } from '../../../src/preferences/sources.ts'

const ID = 'io.svc.apps/bank'

describe('choices for categories that are gone (notifications.md 23.2)', () => {
  it('give way when there are too many of them, those that are declared stay', () => {
    let current = NO_PREFERENCES
    for (let version = 0; version < 5; version += 1) {
      const names = Array.from({ length: 40 }, (_, number) => `v${version}-${number}`)
      const { categories } = parseCategories(Object.fromEntries(names.map((name) => [name, {}])))
      const known: NotificationSource[] = [{ id: ID, kind: 'app', name: 'Bank', categories }]
      const channels = { mail: false }
      const patch = { sources: [{ id: ID, categories: names.map((name) => ({ name, channels })) }] }
      current = applyPatch(current, patch, known)
      const chosen = Object.keys(current.sources[ID]?.categories ?? {})
      expect(chosen).to.include.members(names)
      expect(chosen.length).to.be.at.most(MAX_CATEGORIES)
    }
  })
})
