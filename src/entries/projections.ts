/**
 * `carillon/projections`: read models that are folded from public events.
 */
export {
  defineProjection,
  type AnyProjection,
  type ProjectionCheckpoint,
  type ProjectionOptions,
  type ProjectionStore,
  type ProjectionTarget,
  type SavedProjection,
  type TargetProjection,
  type ValueProjection,
} from '../app/Projection.js'
export {
  definePostgresProjection,
  type PostgresProjectionOptions,
  type ProjectionSql,
} from '../logs/postgres/PostgresProjection.js'
export type { Row } from '../logs/postgres/PostgresSession.js'
export type { ProjectionStatus } from '../projection/ProjectionRunner.js'
export type { ProjectionReader } from '../projection/ProjectionReader.js'
