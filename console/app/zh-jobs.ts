import type { Catalogue } from "./en";

/** The Chinese texts about HTTP jobs. */
export const jobs: Catalogue["jobs"] = {
  filter: "筛选 HTTP 任务",
  columns: ["名称", "目标", "时间表", "状态", "下次到期", "最近状态码"],
  none: "还没有 HTTP 任务。点“创建”即可新建；也可以用 curl：",
  noneFits: (filters) => `没有符合 ${filters} 的 HTTP 任务。`,
  gone: "没有这个名称的 HTTP 任务。已删除任务的执行记录会保留一段时间。",
  createNew: "创建 HTTP 任务",
  created: (name) => `已创建 ${name}。`,
  enable: "启用",
  enabled: (name) => `已启用 ${name}。`,
  disable: "停用",
  disableAbout: "在启用之前不再到期。进行中的调用会执行完，期间错过的不会补跑。",
  disabled: (name) => `已停用 ${name}。`,
  change: "修改",
  delete: "删除",
  deleteAbout: "任务立即删除，进行中的调用会被取消。执行记录仍可查看，名称可以再次使用。",
  deleted: (name) => `已删除 ${name}。`,
  lastAnswer: "最近应答",
  noAnswer: "还没有结束的执行。",
  statusCode: "状态码",
  body: "应答正文",
  more: "重试、限制及其他",
  testCall: "测试调用",
  testing: "正在调用…",
  fields: {
    name: "名称", description: "描述", target_url: "目标", cron_expr: "cron 表达式", timezone: "时区", http_method: "方法",
    headers_json: "请求头", body_template: "请求正文", timeout_seconds: "超时（秒）", success_status: "视为成功", retry_policy_json: "重试策略",
    overlap_action: "重叠时", failure_action: "失败之后", catch_up_mode: "停机之后", max_concurrency: "同时调用数",
    concurrency_policy: "达到上限时", exec_type: "应答方式", callback_timeout_sec: "等待回调（秒）", status: "状态",
  },
};
