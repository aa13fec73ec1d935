import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

/** Packs a folder so that the same files give the same bytes, by whom and whenever. Needs GNU tar. */
export function makeArchive(folder: string, file: string, time: number): void {
  const plain = `${file}.tar`
  execFileSync('tar', [
    '--create',
    '--file',
    plain,
    '--directory',
    path.dirname(folder),
    '--format=gnu',
    '--sort=name',
    `--mtime=@${time}`,
    // Nobody's, and readable by the account that runs it, whoever unpacks it.
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u+rwX,go=rX',
    path.basename(folder),
  ])
  writeFileSync(file, gzipSync(readFileSync(plain), { level: 9 }))
  rmSync(plain)
}
