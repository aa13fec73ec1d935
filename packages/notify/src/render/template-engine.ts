import {
  CaptureTag,
  Context,
  type Emitter,
  type FS,
  Liquid,
  type Template,
  toValue,
  toValueSync,
} from 'liquidjs'
import { MAX_OUTPUT_BYTES, MAX_TEMPLATE_BYTES, RENDER_MS, type TemplateForm } from './render-job.ts'

/** Counted by the engine: characters and elements that filters make. */
const MEMORY_UNITS = 1_048_576
/** Parsed templates kept; their sources together. */
const MAX_KEPT = 64
const MAX_KEPT_LENGTH = 4_194_304
/** Nothing comes from files: neither tags that ask for them nor a file system. */
const FILE_TAGS = ['include', 'render', 'layout', 'block']

/** Renders templates of apps within limits. @see notifications.md 10.3 */
export interface TemplateEngine {
  /** @throws Error when the template is wrong or takes too much */
  render(form: TemplateForm, source: string, data: Readonly<Record<string, unknown>>): string
}

export function createTemplateEngine(): TemplateEngine {
  const engines: Readonly<Record<TemplateForm, Liquid>> = {
    html: createLiquid('html'),
    text: createLiquid('text'),
  }
  const kept = new Map<string, Template[]>()
  let keptLength = 0

  function parse(form: TemplateForm, source: string): Template[] {
    const key = `${form}:${source}`
    const known = kept.get(key)
    if (known !== undefined) {
      kept.delete(key)
      kept.set(key, known)
      return known
    }
    const parsed = engines[form].parse(source)
    kept.set(key, parsed)
    keptLength += key.length
    for (const oldest of kept.keys()) {
      if (kept.size <= MAX_KEPT && keptLength <= MAX_KEPT_LENGTH) break
      kept.delete(oldest)
      keptLength -= oldest.length
    }
    return parsed
  }

  return {
    render(form, source, data) {
      const parsed = parse(form, source)
      const engine = engines[form]
      const context = new Context(data, engine.options, { sync: true }, { liquid: engine })
      const output = createOutput()
      toValueSync(engine.renderer.renderTemplates(parsed, context, output))
      if (Buffer.byteLength(output.buffer) > MAX_OUTPUT_BYTES) throw new Error('output too large')
      return output.buffer
    },
  }
}

function createLiquid(form: TemplateForm): Liquid {
  const engine = new Liquid({
    fs: NO_FILES,
    root: [],
    partials: [],
    layouts: [],
    relativeReference: false,
    ownPropertyOnly: true,
    strictFilters: true,
    parseLimit: MAX_TEMPLATE_BYTES,
    renderLimit: RENDER_MS,
    memoryLimit: MEMORY_UNITS,
    // A server's own zone and language say nothing about the owner's.
    timezoneOffset: 'UTC',
    locale: 'en',
    ...(form === 'html' && { outputEscape: 'escape' as const }),
  })
  for (const tag of FILE_TAGS) delete engine.tags[tag]
  engine.registerTag('capture', CountedCapture)
  if (form === 'text') delete engine.filters['raw']
  return engine
}

/** The engine's own does not count what it keeps: captures of captures would fill the memory. */
class CountedCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    const output = createOutput()
    yield this.liquid.renderer.renderTemplates(this.templates, context, output)
    context.memoryLimit.use(output.buffer.length)
    context.bottom()[this.variable] = output.buffer
  }
}

/** Collects output. Repeated output counts immediately, before it fills the memory. */
function createOutput(): Emitter {
  const output: Emitter = {
    buffer: '',
    write(value: unknown) {
      output.buffer += asText(value)
      if (output.buffer.length > MAX_OUTPUT_BYTES) throw new Error('output too large')
    },
  }
  return output
}

function asText(given: unknown): string {
  const value: unknown = toValue(given)
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? value.map(asText).join('') : String(value)
}

const noFile = (): never => {
  throw new Error('templates have no files')
}
const NO_FILES: FS = {
  exists: () => Promise.resolve(false),
  existsSync: () => false,
  readFile: async () => noFile(),
  readFileSync: noFile,
  resolve: noFile,
}
