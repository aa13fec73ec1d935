import { parentPort } from 'node:worker_threads'
import { cleanHtml } from './clean-html.ts'
import { toPlainText } from './plain-text.ts'
import type { RenderAnswer, RenderJob } from './render-job.ts'
import { createTemplateEngine } from './template-engine.ts'

const engine = createTemplateEngine()

parentPort?.on('message', (job: RenderJob) => {
  parentPort?.postMessage(answer(job))
})

function answer(job: RenderJob): RenderAnswer {
  try {
    return { output: run(job) }
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'unknown' }
  }
}

function run(job: RenderJob): string {
  if (job.kind === 'clean') return cleanHtml(job.html, job.ownHosts)
  if (job.kind === 'plain') return toPlainText(job.html)
  return engine.render(job.form, job.source, job.data)
}
