import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { compilerSettings, type Entry, WORK } from './api-entries.ts'
import type { Code, Named } from './uses.ts'

/** A piece of code, and the export that it is an example of: it names exports without importing them. */
export interface Snippet extends Code {
  readonly about?: Named
}

const FOLDER = path.join(WORK, 'code')
const SURROUNDINGS = 'surroundings.ts'
/** "Cannot find name", in the ways in which the compiler says it. */
const UNKNOWN_NAME = new Set([2304, 2503, 2552, 18_004])
/** "A return statement can only be used within a function body": an example may be the lines of one. */
const OUTSIDE_FUNCTION = 1108

/**
 * Compiles examples and blocks of pages against the packed declarations. What a reader has around them, such as `oauth` and
 * `app`, is in `surroundings.ts`; exports are found by their names.
 * @returns what is wrong, with its place
 */
export function codeFaults(snippets: readonly Snippet[], entries: readonly Entry[]): string[] {
  mkdirSync(FOLDER, { recursive: true })
  copyFileSync(path.join(import.meta.dirname, SURROUNDINGS), path.join(FOLDER, SURROUNDINGS))
  // A server knows nothing of browsers; and names such as `event` are not taken from there.
  const settings = compilerSettings(entries, ['es2024', 'esnext.disposable'])
  const { options } = ts.convertCompilerOptionsFromJson(settings.compilerOptions, FOLDER)
  const exportedBy = exportsOf(entries, options)
  const around: Snippet = { file: `docs/site/build/${SURROUNDINGS}`, text: '', line: 1 }
  const files = snippets.map((snippet, at) => {
    const file = path.join(FOLDER, `${at}.ts`)
    writeFileSync(file, `${snippet.text}\nexport {}\n`)
    return { snippet, file }
  })
  const unbound = compile(
    files.map(({ file }) => file),
    options,
  )
  for (const { snippet, file } of files) {
    const { about, text } = snippet
    const unknown = diagnosticsOf(unbound, file)
      .filter(({ code }) => UNKNOWN_NAME.has(code))
      .map(({ start, length }) => text.slice(start, (start ?? 0) + (length ?? 0)))
    // What it is about is never what readers have around them under the same name.
    const own = about === undefined || !text.includes(about.name) ? [] : [about.name]
    const imports = [...new Set([...own, ...unknown])].flatMap((name) => {
      const modules = exportedBy.get(name) ?? []
      const module = modules.find((each) => each === about?.module) ?? modules[0]
      return module === undefined ? [] : [`import { ${name} } from '${module}'; `]
    })
    // Lines keep their numbers.
    writeFileSync(file, `${imports.join('')}${snippet.text}\nexport {}\n`)
  }
  const bound = compile(
    files.map(({ file }) => file),
    options,
  )
  const all = [{ snippet: around, file: path.join(FOLDER, SURROUNDINGS) }, ...files]
  return all.flatMap(({ snippet, file }) =>
    diagnosticsOf(bound, file).map(({ messageText, start, file: source }) => {
      const { line = 0 } = source?.getLineAndCharacterOfPosition(start ?? 0) ?? {}
      const said = ts.flattenDiagnosticMessageText(messageText, ' ')
      return `${snippet.file}:${snippet.line + line} does not compile: ${said}`
    }),
  )
}

function compile(files: readonly string[], options: ts.CompilerOptions): ts.Program {
  return ts.createProgram({
    rootNames: [path.join(FOLDER, SURROUNDINGS), ...files],
    options,
  })
}

function diagnosticsOf(program: ts.Program, file: string): readonly ts.Diagnostic[] {
  const source = program.getSourceFile(file)
  const all = [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ]
  return all.filter(({ code }) => code !== OUTSIDE_FUNCTION)
}

/** The modules that export each name. */
function exportsOf(
  entries: readonly Entry[],
  options: ts.CompilerOptions,
): ReadonlyMap<string, readonly string[]> {
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    options,
  )
  const checker = program.getTypeChecker()
  const modules = new Map<string, string[]>()
  for (const { module, file } of entries) {
    const source = program.getSourceFile(file)
    const symbol = source === undefined ? undefined : checker.getSymbolAtLocation(source)
    for (const { name } of symbol === undefined ? [] : checker.getExportsOfModule(symbol)) {
      modules.set(name, [...(modules.get(name) ?? []), module])
    }
  }
  return modules
}
