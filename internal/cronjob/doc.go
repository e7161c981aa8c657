// Package cronjob shows plans as the HTTP cron jobs of REST `/tasks`, and makes plans of
// them: it is a translation between two vocabularies, without state or timer of its
// own. A task is a plan of type cron at station "http" whose id is a hash of the
// task's name, so that a name can be taken once; a task that is disabled is a plan
// that is paused; a run is an execution together with its result.
//
// In come bodies of REST requests and answers of the services behind package client;
// out go requests of those services, tasks and runs. All of a task is in its plan, so
// that it can be read and changed from either side: the times of its creation and its
// last change are in the plan's ext, its version is the plan's revision, and its call
// is the plan's only message. A plan of the same form that was created over NATS is a
// task like any other.
//
// The package knows neither HTTP nor the scheduler. Errors are those of package schema,
// with the field names of a task.
package cronjob
