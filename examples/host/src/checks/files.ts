import { type Stats, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { ADMIN_TOKEN_FILE } from '../config/data-files.ts'
import { type Check, type CheckContext, fault, type Finding, ok, warning } from './check.ts'

const MIB = 1024 * 1024
/** Below these a file system is short. @see operation.md 2.2 `disk.free` */
const MIN_FREE_BYTES = 256 * MIB
const MIN_FREE_SHARE = 0.02
const MIN_INODE_SHARE = 0.05

/** Who may read what is secret. */
export const filePermissions: Check = {
  id: 'files.permissions',
  when: 'start',
  run({ config }) {
    const report = config.isProduction ? fault : warning
    const { credentialsDirectory, dataDir } = config
    const owner = statOf(dataDir)?.uid
    const isOurs = (path: string): boolean => !isHandedOver(path, credentialsDirectory)
    const problems = [
      ...secretPaths(config)
        .filter(isOurs)
        .map((path) => problemOf(path, owner)),
      ...OWN_FILES.map((name) => join(dataDir, name))
        .filter(isOurs)
        .map((path) => foreignIn(path, owner) ?? problemOf(path, owner)),
    ].flatMap((problem) => (problem === undefined ? [] : [report(problem.text, problem.remedy)]))
    if (problems.length > 0) return problems
    return [ok('Nobody but the user of this server and root can read its secrets.')]
  },
}

/** Room for what is to be written. */
export const diskFree: Check = {
  id: 'disk.free',
  when: 'start',
  async run({ config }) {
    const usage = await statfs(config.dataDir).catch(() => undefined)
    if (usage === undefined) return [ok(`${config.dataDir} does not exist yet.`)]
    return [judgeSpace(config.dataDir, usage)]
  },
}

/** What is asked of a file system. */
export interface SpaceFacts {
  readonly bsize: number
  readonly blocks: number
  readonly bavail: number
  /** Inodes; 0 where the file system does not count them. */
  readonly files: number
  readonly ffree: number
}

/** Whether a file system has enough room. */
export function judgeSpace(path: string, facts: SpaceFacts): Finding {
  const { bsize, blocks, bavail, files, ffree } = facts
  const free = bavail * bsize
  const needed = Math.max(MIN_FREE_BYTES, blocks * bsize * MIN_FREE_SHARE)
  if (free < needed) {
    return warning(
      `${mebibytes(free)} are free where ${path} is, and ${mebibytes(needed)} should be.`,
      'Make room, or move the data directory to a larger file system.',
    )
  }
  if (files > 0 && ffree < files * MIN_INODE_SHARE) {
    return warning(
      `${ffree} of ${files} inodes are free where ${path} is.`,
      'Remove small files, or move the data directory to a file system with more inodes.',
    )
  }
  return ok(`${mebibytes(free)} are free where ${path} is.`)
}

export const FILE_CHECKS: readonly Check<CheckContext>[] = [filePermissions, diskFree]

/** Everything secret that lies in a file. What is missing is told by who reads it. */
function secretPaths({ keysFile, secretFiles, mail, notifications, tls }: Config): string[] {
  const given = [
    keysFile,
    ...secretFiles.map(({ path }) => path),
    tls?.key,
    mail.dkimKeyFile,
    notifications.fcmCredentialsFile,
    notifications.iosCertificateKeyPath,
  ]
  return given.flatMap((path) => path ?? [])
}

/** What the server makes in its data directory. */
const OWN_FILES = ['', 'keys', ADMIN_TOKEN_FILE, ...['', '-wal', '-shm', '.lock'].map(storeFile)]

function storeFile(end: string): string {
  return `store.db${end}`
}

/** Secrets of containers and of systemd have the rights that those give them. */
function isHandedOver(path: string, credentials: string | undefined): boolean {
  const folders = ['/run/secrets', ...(credentials === undefined ? [] : [resolve(credentials)])]
  return folders.some((folder) => resolve(path).startsWith(`${folder}/`))
}

interface Problem {
  readonly text: string
  readonly remedy: string
}

/** Root looks on behalf of the server, to which the data directory belongs. */
function serverUser(owner: number | undefined): number | undefined {
  const user = process.getuid?.()
  return user === 0 ? (owner ?? user) : user
}

/** SPEC: D99 - what root left in the directory of another user, that user's server cannot open. */
function foreignIn(path: string, owner: number | undefined): Problem | undefined {
  const stats = statOf(path)
  if (stats === undefined || owner === undefined || process.getuid === undefined) return undefined
  if ([owner, process.getuid() || owner].includes(stats.uid)) return undefined
  return {
    text: `${path} belongs to the user ${stats.uid}, and the data directory to ${owner}.`,
    remedy: `Give it to the owner of the data directory: chown ${owner} ${path}`,
  }
}

function problemOf(path: string, owner: number | undefined): Problem | undefined {
  const stats = statOf(path)
  if (stats === undefined) return undefined
  const isFolder = stats.isDirectory()
  const user = serverUser(owner)
  if (user !== undefined && stats.uid !== user && stats.uid !== 0) {
    return {
      text: `${path} belongs to the user ${stats.uid}, and the server runs as ${user}.`,
      remedy: `Give it to the user of the server: chown ${user} ${path}`,
    }
  }
  const open = stats.mode & (isFolder ? 0o007 : 0o066)
  if (open === 0) return undefined
  const [who, right] = isFolder ? ['others', '0750'] : ['its group or others', '0600']
  return {
    text: `${path} can be read or changed by ${who} (its mode is ${modeOf(stats)}).`,
    remedy: `Take that away: chmod ${right} ${path}`,
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function modeOf({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(4, '0')
}

function mebibytes(bytes: number): string {
  // By hand: the first use of a number's own words loads 20 ms worth of ICU, and every start says this.
  return `${String(Math.round(bytes / MIB)).replace(/\B(?=(?:\d{3})+$)/gu, ',')} MiB`
}
