import { parentPort } from 'node:worker_threads'
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
  return job.kind === 'template'
    ? engine.render(job.form, job.source, job.data)
    : toPlainText(job.html)
}
