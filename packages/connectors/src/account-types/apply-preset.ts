import type { AccountTypeEntry } from './account-type.ts'
import { PRESETS } from './presets.ts'

const MAPS = ['extras', 'token_params', 'refresh_params', 'token_headers'] as const
const LISTS = ['added_scopes', 'callback_params', 'revoked_errors'] as const

/**
 * The entry with what its preset adds. Its own fields come before those of the preset; members of maps do one by one,
 * and lists hold what either has.
 * @see connectors.md 2.4
 */
export function applyPreset(entry: AccountTypeEntry): AccountTypeEntry {
  const { preset: name } = entry
  const preset = name !== undefined && Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
  if (preset === undefined) return entry
  const maps = MAPS.flatMap((field) => {
    const joined = { ...preset[field], ...entry[field] }
    return Object.keys(joined).length > 0 ? [[field, joined] as const] : []
  })
  const lists = LISTS.flatMap((field) => {
    const joined = new Set([...(preset[field] ?? []), ...(entry[field] ?? [])])
    return joined.size > 0 ? [[field, [...joined]] as const] : []
  })
  return { ...preset, ...entry, ...Object.fromEntries(maps), ...Object.fromEntries(lists) }
}
