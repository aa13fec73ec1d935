import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

/** A program, or a block of a page, that uses what the packages export. */
export interface Code {
  /** From the root. */
  readonly file: string
  readonly text: string
  /** In the file, of its first line. */
  readonly line: number
}

/** A name as a module exports it. */
export interface Named {
  readonly module: string
  readonly name: string
}

/** Pages whose blocks of code are programs, in the order in which a reader is sent to them. */
const PAGES = [
  'docs/recipes/*.md',
  'docs/embedding.md',
  'docs/clients/*.md',
  'packages/!(testkit)/README.md',
  'examples/*/README.md',
]
/** The examples, those that embedders copy first. */
const PROGRAMS = [
  'examples/{embedded,own,mounts}/**/*.{ts,mts}',
  'examples/client/**/*.ts',
  'examples/host/src/**/*.ts',
  'examples/host/**/*.ts',
]
/** Of the examples, what no reader takes as one. */
const NO_PROGRAM = /(?:^|\/)(?:node_modules|dist|client\/test)(?:\/|$)|\.d\.ts$/
const BLOCK = /^( *)```ts\n([\s\S]*?)^\1```$/gm

/** Blocks of pages that import from the packages: whole programs, not parts of one. */
export function readBlocks(root: string): Code[] {
  const files = PAGES.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted())
  return files.flatMap((file) => {
    const markdown = readFileSync(path.join(root, file), 'utf8')
    return [...markdown.matchAll(BLOCK)].flatMap(({ 1: indent = '', 2: block = '', index }) => {
      const text = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
      const line = markdown.slice(0, index).split('\n').length + 1
      const code = { file, text, line }
      return namesIn(code).length === 0 ? [] : [code]
    })
  })
}

/** The examples of the repository. */
export function readPrograms(root: string): Code[] {
  const files = PROGRAMS.flatMap((pattern) => globSync(pattern, { cwd: root }).toSorted())
  return [...new Set(files)]
    .filter((file) => !NO_PROGRAM.test(file))
    .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8'), line: 1 }))
}

/** Whether a block is part of an example, with which it is compiled. */
export function isQuoted(block: Code, programs: readonly Code[]): boolean {
  const text = withoutIndent(block.text)
  return programs.some((program) => withoutIndent(program.text).includes(text))
}

function withoutIndent(text: string): string {
  return text.replaceAll(/^ +/gm, '')
}

/** The names of the packages' exports that code imports and then uses; to export it again is no use. */
export function namesIn({ file, text }: Code): Named[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const used = new Map<string, number>()
  const taken: Taken[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) used.set(node.text, (used.get(node.text) ?? 0) + 1)
    taken.push(...takenBy(node))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return taken
    .filter(({ local }) => (used.get(local) ?? 0) > 1)
    .map(({ module, name }) => ({ module, name }))
}

/** A name of a package, and what it is called here. */
interface Taken extends Named {
  readonly local: string
}

/** What a declaration takes: `import { a } from` or `const { a } = await import()`. */
function takenBy(node: ts.Node): Taken[] {
  const module = moduleOf(node)
  if (module?.startsWith('@svc/') !== true) return []
  return elementsOf(node).map(({ name, propertyName }) => ({
    module,
    name: (propertyName ?? name).getText(),
    local: name.getText(),
  }))
}

function moduleOf(node: ts.Node): string | undefined {
  const from = ts.isImportDeclaration(node)
    ? node.moduleSpecifier
    : ts.isVariableDeclaration(node)
      ? dynamicOf(node.initializer)
      : undefined
  return from !== undefined && ts.isStringLiteral(from) ? from.text : undefined
}

function dynamicOf(value: ts.Expression | undefined): ts.Expression | undefined {
  const call = value !== undefined && ts.isAwaitExpression(value) ? value.expression : undefined
  return call !== undefined &&
    ts.isCallExpression(call) &&
    call.expression.kind === ts.SyntaxKind.ImportKeyword
    ? call.arguments[0]
    : undefined
}

function elementsOf(node: ts.Node): readonly (ts.ImportSpecifier | ts.BindingElement)[] {
  const bindings = ts.isImportDeclaration(node)
    ? node.importClause?.namedBindings
    : ts.isVariableDeclaration(node)
      ? node.name
      : undefined
  return bindings !== undefined &&
    (ts.isNamedImports(bindings) || ts.isObjectBindingPattern(bindings))
    ? bindings.elements
    : []
}
