import { globSync } from 'node:fs'
import path from 'node:path'

/** Which state of the project a site shows. */
export interface Version {
  /** As it is named in addresses: `next`, `latest` or `v0.4`. */
  readonly name: string
  /** Path of the site, such as `/next`. */
  readonly base: string
  /** `next` is unreleased, `old` has a successor, `latest` is what to use. */
  readonly state: 'next' | 'latest' | 'old'
  /** Slugs of the pages of the latest version, where this is another one and there is a latest one. */
  readonly successors?: ReadonlySet<string>
}

/** A minor version that has a site. */
export interface Minor {
  /** Such as `v0.4`. */
  readonly name: string
  /** The newest one of it, such as `v0.4.2`. */
  readonly tag: string
}

const KEPT = 3
const TAG = /^v(\d+)\.(\d+)\.(\d+)$/
const NAME = /^(?:next|latest|v\d+\.\d+)$/

/**
 * @param name - `next`, `latest` or a minor version, such as `v0.4`
 * @param latest - folder of the built site of the latest version, when the pages of this one lead there
 * @throws TypeError for another name
 */
export function versionOf(name: string, latest?: string): Version {
  if (!NAME.test(name)) throw new TypeError(`"${name}" is neither next, latest nor like v0.4`)
  const base = `/${name}`
  const state = name === 'next' ? 'next' : latest === undefined ? 'latest' : 'old'
  return { name, base, state, ...(latest !== undefined && { successors: slugsIn(latest) }) }
}

/** The newest tag of each of the last three minor versions, the newest first. Tags that name no release are not looked at. */
export function minorsOf(tags: readonly string[]): readonly Minor[] {
  const newest = new Map<string, Minor>()
  for (const tag of tags.filter((name) => TAG.test(name)).toSorted(byNumbers)) {
    const name = minorOf(tag)
    if (!newest.has(name)) newest.set(name, { name, tag })
  }
  return [...newest.values()].slice(0, KEPT)
}

/**
 * The minor version of a release.
 * @throws TypeError for a tag that names none
 */
export function minorOf(tag: string): string {
  const [, major, minor] = TAG.exec(tag) ?? []
  if (major === undefined || minor === undefined) throw new TypeError(`"${tag}" is no release`)
  return `v${major}.${minor}`
}

/** What is released later comes first. */
function byNumbers(one: string, other: string): number {
  const [ones, others] = [one, other].map((tag) => (TAG.exec(tag) ?? []).slice(1).map(Number))
  const at = ones?.findIndex((number, place) => number !== others?.[place]) ?? -1
  return at < 0 ? 0 : (others?.[at] ?? 0) - (ones?.[at] ?? 0)
}

function slugsIn(folder: string): ReadonlySet<string> {
  const pages = globSync('**/index.html', { cwd: folder })
  return new Set(pages.map((file) => path.dirname(file).replace(/^\.$/, '')))
}
