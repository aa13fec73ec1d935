import { readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type Figure, toTable } from '../figure.ts'
import { percent } from './goals.ts'
import type { HotKeys } from './hot-keys.ts'

const PAGE = path.resolve(import.meta.dirname, '../../../../docs/scaling.md')
const START = '<!-- figures of `pnpm bench scale` -->'
const END = '<!-- end of figures -->'

/** Puts the figures between the marks of `docs/scaling.md`, with their date and machine. */
export function writeScaling(figures: readonly Figure[], hotKeys: HotKeys | undefined): void {
  const page = readFileSync(PAGE, 'utf8')
  const from = page.indexOf(START)
  const to = page.indexOf(END)
  if (from < 0 || to < from) throw new Error('docs/scaling.md has lost its marks')
  const cpu = os.cpus()[0]?.model.trim() ?? 'an unknown processor'
  const gib = (os.totalmem() / 1024 ** 3).toFixed(0)
  const date = new Date().toISOString().slice(0, 10)
  const parts = [
    `Measured on ${date}: ${os.cpus().length} cores (${cpu}), ${gib} GiB, Node ${process.version}.`,
    toTable(figures),
    ...(hotKeys === undefined ? [] : [hotTable(hotKeys)]),
  ]
  const text = `${START}\n\n${parts.join('\n\n')}\n\n`
  writeFileSync(PAGE, page.slice(0, from) + text + page.slice(to))
}

function hotTable({ keys, commands }: HotKeys): string {
  const rows = keys.map(
    ({ key, share, isShared }) =>
      `| ${percent(share)} | ${isShared ? `\`${key}\`` : 'of one instance'} |`,
  )
  return [
    `The ten hottest keys of ${commands} commands, by the share of commands that name them:`,
    ['| share | key |', '| --- | --- |', ...rows].join('\n'),
  ].join('\n\n')
}
