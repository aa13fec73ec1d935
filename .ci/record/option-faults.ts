import { readFileSync } from 'node:fs'
import path from 'node:path'
import { entrySources } from './entries.ts'
import { type Part, ROOT } from './part.ts'

/** Fits no option: neither a whole number above 0, nor a text, nor an object. */
const WRONG = -1.5

/**
 * What the functions of the packages say of options: of none, and of an unknown name beside a wrong value for every
 * option. `options.json` lists the names: of the entry and the function, and of each option, at most three levels deep.
 */
export async function optionFaults(): Promise<Part[]> {
  const file = path.join(import.meta.dirname, 'options.json')
  // A file of this folder.
  const table = JSON.parse(readFileSync(file, 'utf8')) as Record<string, readonly string[]>
  const sources = entrySources()
  const parts: Part[] = []
  for (const [called, names] of Object.entries(table)) {
    const [entry = '', name = ''] = called.split(' ')
    const source = sources.get(entry)
    if (source === undefined) throw new Error(`there is no entry ${entry}`)
    const entryModule = (await import(path.join(ROOT, source))) as Record<string, unknown>
    const call = entryModule[name] as ((options: object) => unknown) | undefined
    if (call === undefined) throw new Error(`${entry} does not export ${name}`)
    parts.push(
      { title: `options of ${called}: none`, text: faultsOf(call, {}) },
      { title: `options of ${called}: wrong`, text: faultsOf(call, allWrong(names)) },
    )
  }
  return parts
}

function allWrong(names: readonly string[]): object {
  const options: Record<string, unknown> = { nonsense: 1 }
  for (const name of names) {
    const parts = name.split('.')
    let place = options
    for (const part of parts.slice(0, -1)) {
      place = (place[part] ??= {}) as Record<string, unknown> // groups hold options
    }
    place[parts.at(-1) ?? ''] = WRONG
    // Close enough to be understood as the name before it.
    place[`${parts.at(-1)}x`] = WRONG
  }
  return options
}

function faultsOf(call: (options: object) => unknown, options: object): string {
  try {
    call(options)
  } catch (error) {
    return error instanceof Error ? error.message.split('\n').toSorted().join('\n') : String(error)
  }
  return 'taken'
}
